// What a call says about freshness: a model has no clock, so only "never keep", "never changes" and "this made that stale".

export interface SyncPolicy {
  /** `no-store`: ask again each time. `immutable`: the same input always gives the same answer. */
  readonly cache?: 'no-store' | 'immutable'
  /** Resource URIs (a trailing `*` matches declared resources) whose subscribers are told after a success, and only then. */
  readonly invalidates?: readonly string[]
}
