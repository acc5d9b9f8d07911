/** How a page of a contract looks, on a screen, light or dark, and on paper. */
export const style = `
:root { color-scheme: light dark; --ink: #1c2430; --quiet: #5b6675; --paper: #fff; --soft: #f3f5f8; --line: #dfe4ea; --accent: #1f5fbf; --ask: #9a5b00; --end: #6b7280; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --quiet: #9aa5b4; --paper: #14181e; --soft: #1f252d; --line: #323a45; --accent: #7fb0ff; --ask: #f0b45b; --end: #9aa5b4; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
main { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 .75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
h1 code, h3 code { font-size: .88em; }
h3 ~ h3 { margin-top: 2.25rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem; margin: 0 0 1.25rem; padding: .85rem 1rem; background: var(--soft); border-radius: .5rem; font-size: .92rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
dl code { background: none; padding: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: .75rem 0; }
th, td { text-align: left; vertical-align: top; padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; font-size: .85rem; color: var(--quiet); }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, monospace; background: var(--soft); border-radius: .25rem; padding: .08rem .3rem; overflow-wrap: break-word; }
ul { padding-left: 1.25rem; }
li { margin: .3rem 0; }
figure { margin: 1rem 0 0; overflow-x: auto; }
svg.plan { display: block; max-width: 100%; height: auto; }
.plan .rail { fill: none; stroke: var(--line); stroke-width: 2; }
.plan .edge { fill: var(--paper); stroke: var(--quiet); stroke-width: 2; }
.plan .core { fill: var(--quiet); }
.plan .glyph { fill: var(--paper); stroke: var(--accent); stroke-width: 1.6; }
.plan .mark { fill: none; stroke: var(--accent); stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.plan .mark.full { fill: var(--accent); stroke: none; }
.plan .approve .glyph { stroke: var(--ask); } .plan .approve .mark.full { fill: var(--ask); }
.plan .when .glyph, .plan .wait .glyph, .plan .stop .glyph { stroke: var(--end); }
.plan .when .mark, .plan .wait .mark { stroke: var(--end); } .plan .stop .mark.full { fill: var(--end); }
.plan text { font: 15px system-ui, sans-serif; fill: var(--ink); }
.plan .title { font-weight: 600; }
.plan .detail { font-size: 13px; fill: var(--quiet); }
.plan .name { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: .95em; }
@media (max-width: 40rem) { table, tbody, tr, td { display: block; } thead { display: none; } td { border: 0; padding: .1rem 0; } tr { padding: .5rem 0; border-bottom: 1px solid var(--line); display: block; } dl { grid-template-columns: 1fr; } svg.plan { max-width: none; } }
@media print { main { max-width: none; padding: 0; } h2, h3 { break-after: avoid; } figure, tr { break-inside: avoid; } }
`
