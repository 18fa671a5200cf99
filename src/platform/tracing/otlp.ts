import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Config } from '../config.ts'
import type { Span, SpanOptions, Tracing } from './tracing.ts'

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

const SHUTDOWN_MS = 3_000

/** Sends traces to an OTLP collector over HTTP, in batches. A collector that is down costs spans, and no request. */
export function createTracing(
  { endpoint, serviceName, ratio }: NonNullable<Config['tracing']>,
  version: string,
  warn: (message: string) => void,
): Tracing {
  // The library keeps what runs now in one place for the process.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const silent = () => {}
  const logger = { error: warn, warn: silent, info: silent, debug: silent, verbose: silent }
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true })
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('mnemograph', version)
  return {
    span: (options, work) => run(tracer, options, parentOf(options), work),
    part: (options, work) =>
      trace.getActiveSpan() ? run(tracer, options, context.active(), work) : work(nothing),
    traceparent() {
      const current = trace.getActiveSpan()?.spanContext()
      if (!current) return null
      const flags = current.traceFlags.toString(16).padStart(2, '0')
      return `00-${current.traceId}-${current.spanId}-${flags}`
    },
    ids() {
      const current = trace.getActiveSpan()?.spanContext()
      return current && { trace_id: current.traceId, span_id: current.spanId }
    },
    async [Symbol.asyncDispose]() {
      const time = new Promise<void>(resolve => setTimeout(resolve, SHUTDOWN_MS).unref())
      await Promise.race([provider.shutdown().catch(() => {}), time])
    },
  }
}

const nothing: Span = { update: () => {} }

function parentOf({ parent }: SpanOptions): Context {
  const remote = parent ? parseTraceParent(parent) : null
  return remote ? trace.setSpanContext(context.active(), { ...remote, isRemote: true }) : context.active()
}

function run<Result>(
  tracer: Tracer,
  { name, kind, attributes = {} }: SpanOptions,
  parent: Context,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent)
  const isRecorded = (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0
  const mine: Span = isRecorded
    ? {
        update({ name: other, attributes: more, failed }) {
          if (other !== undefined) span.updateName(other)
          span.setAttributes(more)
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
        },
      }
    : nothing
  return context.with(trace.setSpan(parent, span), async () => {
    try {
      return await work(mine)
    } catch (error) {
      // Its name alone: a message can quote what a caller wrote.
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' })
      throw error
    } finally {
      span.end()
    }
  })
}
