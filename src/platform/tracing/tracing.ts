type Attributes = Readonly<Record<string, string | number | boolean>>

export type SpanOptions = {
  readonly name: string
  readonly kind: 'server' | 'client' | 'consumer' | 'internal'
  readonly attributes?: Attributes
  /** The `traceparent` of the work that this belongs to, where it is not what runs now (W3C Trace Context). */
  readonly parent?: string | null | undefined
}

export type Span = { update(changes: { name?: string; attributes: Attributes; failed?: boolean }): void }

/** Tells a collector what a request or a job was made of. Absent where no collector is set: then nothing of it is loaded. */
export type Tracing = AsyncDisposable & {
  /** Runs work as a part of the trace that it belongs to, or as the beginning of a new one. */
  span<Result>(options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>
  /** Runs work as a part of the trace that is in progress; outside of one it only runs. */
  part<Result>(options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>
  /** What names the work in progress to others; null outside of a trace. */
  traceparent(): string | null
  /** The same for the log. */
  ids(): { readonly trace_id: string; readonly span_id: string } | undefined
}
