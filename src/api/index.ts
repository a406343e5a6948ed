/** The service's interface. Imports no VS Code; what leaves here holds no key and no secret of an answer. */
export { parseAddress, proposeAppUrl, type AddressProblem } from './address';
export type { ItemProblem } from './decode';
export { analyticsRow } from './endpoints';
export { ApiError, failureOf, isApiError } from './errors';
export type { Extra, Extras } from './extras';
export type { Page } from './pages';
export {
  EARLIEST_DAY,
  latestDay,
  type ActivityDay,
  type AnalyticsMeta,
  type ModelTokens,
  type ProductivityDay,
  type TokenDay,
  type ToolDay,
  type UserDay,
} from './resources/analytics';
export { computerName, readComputers, type Computer, type ProvisioningStep } from './resources/computer';
export type { ContentItem, Message, SentMessage } from './resources/message';
export type { ControlChange, OrganizationUser } from './resources/organization';
export type { CriterionEvaluation, ReadinessReport } from './resources/readiness';
export { readSession, settingNames, type Session, type SessionSettings, type TokenUsage } from './resources/session';
export type { RequestGate } from './client';
export { ApiClient, type ApiClientOptions } from './service';
export {
  ifFits,
  into,
  openObject,
  orElse,
  recordSchema,
  taken,
  type RecordOf,
  type RecordSchema,
} from './tolerant';
