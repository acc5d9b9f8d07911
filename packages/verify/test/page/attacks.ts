import type { Report } from '../../dist/index.js'

/** Texts that would run, load or show something if a page took them for markup: each sets `pwned`, opens a dialog or makes a request. */
export const payloads = [
  '<img src=x onerror="pwned=1;alert(1)">',
  '<svg onload="pwned=1"></svg>',
  '<script>pwned=1</script>',
  '"><script>pwned=1</script>',
  '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  '<details open ontoggle="pwned=1"><summary>x</summary></details>',
  '<a href="javascript:pwned=1">x</a>',
  '<style>@import "http://127.0.0.1:9/x"</style>',
  '<link rel="stylesheet" href="http://127.0.0.1:9/x">',
  '<input autofocus onfocus="pwned=1">',
  '<form action="javascript:pwned=1"><button>x</button></form>',
  '<object data="data:text/html,<script>parent.pwned=1</script>"></object>',
  '<base href="http://127.0.0.1:9/">',
  '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">',
  '<math><mtext></p><img src=x onerror=pwned=1>',
  '</style></title></textarea></script><img src=x onerror=pwned=1>',
  '{{constructor.constructor("pwned=1")()}}',
  'javascript:pwned=1',
  '&lt;img src=x onerror=pwned=1&gt;',
  '<template><img src=x onerror=pwned=1></template>',
] as const

/** Elements that no text may bring about in a result. */
export const forbidden =
  ':is(img, script, iframe, a, style, link, input, form, object, base, meta, math, template, svg:not(.sign))'

const kept = new Set(['verdict', 'result', 'answer', 'question', 'kind'])

/** What a verifier could answer about a file, with a payload wherever a file has anything to do with a text. */
export function poisonedReply(report: Report, verdict: Report['verdict'], payload: string): object {
  const checks = report.checks.map((check) => ({
    ...check,
    result: verdict === 'proven' ? ('passed' as const) : ('failed' as const),
    reasons: verdict === 'proven' ? [] : [{ message: payload, stream: payload, seq: 1 }],
    reasonCount: verdict === 'proven' ? 0 : 30,
  }))
  const scope = { kind: 'interval', fromMs: 0, toMs: 1, count: 1 } as const
  const text = (one: string) => ({ kind: 'text', text: one })
  const event = {
    seq: 0,
    kind: payload,
    at: 0,
    by: payload,
    body: text(JSON.stringify({ name: payload })),
    data: text(payload),
  }
  const timelines = report.runs.map(() => ({ stream: `run/${payload}`, events: [event] }))
  // The names of checks are the verifier's own.
  const said = { ...poisoned({ ...report, verdict, scope }, payload), checks }
  return { kind: 'report', report: said, timelines, digest: payload }
}

function poisoned<T>(value: T, payload: string, name = ''): T {
  if (typeof value === 'string') return (kept.has(name) ? value : payload) as T
  if (Array.isArray(value)) return value.map((one) => poisoned(one, payload, name)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, poisoned(one, payload, key)])) as T
}
