/** Replaced by the real client. */
export interface ApiClient {
  readonly marker: string;
}
