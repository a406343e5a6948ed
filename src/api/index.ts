/** The service's interface. Imports no VS Code; what leaves here holds no key and no secret of an answer. */
import { serveReading } from './largeAnswer';

export { looksLikeJwt, parseAddress, proposeAppUrl, isLoopback } from './address';
export type { AddressProblem, ParsedAddress } from './address';
export { analyticsRow } from './analyticsAnswer';
export type { AnalyticsRows } from './analyticsAnswer';
export type { UserDayPage, UserDaysQuery } from './analytics';
export type {
  ActivityDay,
  AnalyticsMeta,
  ClientActivityDay,
  ModelTokenDay,
  ModelTokens,
  NamedToolDay,
  ProductivityDay,
  TokenDay,
  ToolDay,
  UserDay,
  UserTokens,
} from './analyticsRows';
export { ApiClient } from './client';
export type { ApiClientOptions } from './client';
export { readComputers } from './computers';
export type { Computer, ProvisioningStep } from './computers';
export type { ControlChange, ControlSettings, CustomModel } from './controls';
export type { ItemProblem, Listed } from './decode';
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
export type {
  ContentItem,
  FileAttachment,
  ImageAttachment,
  Message,
  OutgoingMessage,
  SentMessage,
} from './messages';
export type { OrganizationUser, PageOptions } from './organization';
export type { Page } from './pagination';
export { EARLIEST_DAY, isDay, latestDay } from './queries';
export type { DateRange } from './queries';
export type { CriterionEvaluation, ReadinessReport, ReportsQuery } from './readiness';
export { Redactor } from './redaction';
export { memoryGate } from './retryAfter';
export type { RequestGate } from './retryAfter';
export type { RequestOptions, Timeouts } from './service';
export { readSession } from './sessions';
export type { CreateSession, GetOptions, Session, SessionSettings, TokenUsage } from './sessions';

serveReading();
