/** The service's interface. Imports no VS Code; what leaves here holds no key and no secret of an answer. */
export { looksLikeJwt, parseAddress, proposeAppUrl, isLoopback } from './address';
export type { AddressProblem, ParsedAddress } from './address';
export type { RequestOptions } from './calls';
export type { Timeouts } from './client';
export type { ItemProblem, Listed } from './decode';
export { analyticsRow } from './endpoints';
export { ApiError, isApiError, QueryError } from './errors';
export type {
  ApiErrorCause,
  ApiErrorFacts,
  ApiErrorKind,
  ApiErrorReason,
  ApiRequestInfo,
  QueryProblem,
} from './errors';
export type { Extra, Extras } from './extras';
export type { Page } from './pages';
export { EARLIEST_DAY, isDay, latestDay } from './queries';
export type { DateRange } from './queries';
export type {
  ActivityDay,
  AnalyticsMeta,
  ModelTokens,
  ProductivityDay,
  TokenDay,
  ToolDay,
  UserDay,
  UserTokens,
} from './resources/analytics';
export { computerName, readComputers } from './resources/computer';
export type { Computer, ProvisioningStep } from './resources/computer';
export type {
  ContentItem,
  FileAttachment,
  ImageAttachment,
  Message,
  OutgoingMessage,
  SentMessage,
} from './resources/message';
export type { ControlChange, ControlSettings, CustomModel, OrganizationUser } from './resources/organization';
export type { CriterionEvaluation, ReadinessReport } from './resources/readiness';
export { readSession } from './resources/session';
export type { CreateSession, Session, SessionSettings, TokenUsage } from './resources/session';
export { ifFits, into, recordSchema, taken } from './recordSchema';
export { openObject } from './tolerant';
export type { RecordOf, RecordSchema } from './recordSchema';
export { memoryGate } from './retryAfter';
export type { RequestGate } from './retryAfter';
export { ApiClient } from './service';
export type {
  AnalyticsRows,
  ApiClientOptions,
  GetOptions,
  PageOptions,
  ReportsQuery,
  UserDayPage,
  UserDaysQuery,
} from './service';
