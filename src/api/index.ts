/** The service's interface. Imports no VS Code; what leaves here holds no key and no secret of an answer. */
export type { ItemProblem } from './decode';
export { ApiError, failureOf, isApiError } from './errors';
export {
  computerName,
  EARLIEST_DAY,
  latestDay,
  type ActivityDay,
  type AnalyticsMeta,
  type Computer,
  type ContentItem,
  type ControlChange,
  type CriterionEvaluation,
  type Message,
  type ModelTokens,
  type OrganizationUser,
  type ProductivityDay,
  type ProvisioningStep,
  type ReadinessReport,
  type SentMessage,
  type Session,
  type SessionSettings,
  type TokenDay,
  type TokenUsage,
  type ToolDay,
  type UserDay,
} from './resources';
export type { RequestGate } from './pause';
export { ApiClient, type ApiClientOptions, type Extra, type Page } from './service';
