/* style.js - the style sheet of the elements that the script adds */
const style = (() => {
  const rules = `
.tools{display:flex;flex-wrap:wrap;gap:.3rem;margin:.3rem 0 0;min-height:1.7rem;
align-items:center;font-size:.85rem}
.tools button,.controls button,th button,.controls input,
.controls select,.tools input,.check{min-height:24px}
.tools button,.controls button{font:inherit;min-width:24px;color:var(--link);
background:none;border:1px solid var(--line);border-radius:.35rem;
padding:.1rem .55rem;cursor:pointer}
.tools button[aria-pressed=true]{background:var(--link);color:var(--card)}
.tools input[type=search]{font:inherit;color:inherit;background:var(--card);
border:1px solid var(--line);border-radius:.35rem;padding:.1rem .5rem;
max-width:10rem}
.badge{border:1px solid currentColor;border-radius:.35rem;padding:.1rem .55rem;
font-weight:400}
.badge.plain{color:var(--soft)}
.hint{color:var(--soft);font-size:.9rem}
.tools button:hover{border-color:currentColor}
.heard{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;
clip-path:inset(50%)}
.tools .said{flex:1 1 12rem;color:var(--soft);overflow-wrap:anywhere;
font-variant-numeric:tabular-nums}
#tip{position:fixed;z-index:9;pointer-events:none;max-width:22rem;
background:var(--ink);color:var(--card);border-radius:.35rem;
padding:.3rem .6rem;font-size:.85rem;line-height:1.4;white-space:pre-line;
font-variant-numeric:tabular-nums}
#tip[hidden]{display:none}
svg.fig.live{cursor:crosshair}
svg.fig:focus-visible,.fig [role=button]:focus-visible,th button:focus-visible{
outline:3px solid var(--link);outline-offset:2px}
.fig [role=button]{cursor:pointer}
.fig .dim{opacity:.08}
.fig path.f.dim{opacity:.02}
.fig text.dim{opacity:.35}
.fig .chosen{fill:none;stroke:var(--link);stroke-width:2;pointer-events:none}
.fig .cursor,.fig .linked{pointer-events:none;fill:none}
.fig .cursor line,.fig .cursor rect,.fig .cursor circle{stroke:var(--ci);
stroke-width:1.2}
.fig .cursor.pinned line,.fig .cursor.pinned rect,.fig .cursor.pinned circle{
stroke:var(--link);stroke-width:2}
.fig .linked line{stroke:var(--ci);stroke-width:1.2;stroke-dasharray:4 3}
.fig .cursor line.halo,.fig .linked line.halo{stroke:var(--cg);stroke-width:3;
stroke-dasharray:none;opacity:.7}
th button{font:inherit;font-weight:inherit;color:inherit;background:none;
border:0;padding:0;text-align:inherit;cursor:pointer}
th button::after{content:"\\a0\\2195";opacity:.35}
th[aria-sort=ascending] button::after{content:"\\a0\\2191";opacity:1}
th[aria-sort=descending] button::after{content:"\\a0\\2193";opacity:1}
.controls{display:grid;gap:.5rem 1.4rem;align-items:end;
grid-template-columns:repeat(auto-fill,minmax(min(100%,13rem),1fr));
margin:.6rem 0}
.controls label{display:block;font-size:.9rem}
.controls input,.controls select{width:100%;font:inherit;color:inherit;
accent-color:var(--link)}
.controls select{background:var(--card);border:1px solid var(--line);
border-radius:.35rem;padding:.2rem}
.controls label.check{display:flex;gap:.4rem;align-items:center}
.controls label.check input{width:auto;min-width:24px}
figure .controls{margin:.3rem 0;font-size:.95em}
.controls .value{float:right;font-variant-numeric:tabular-nums;
color:var(--soft)}
@media(max-width:36rem){.tools{position:sticky;left:0}}
@media(prefers-reduced-motion:no-preference){.fig [data-s]{
transition:opacity .15s}}
@media print{th button::after{content:none!important}
.tools,.hint,#tip,.controls,.cursor,.linked{
display:none!important}}`;

  function start() {
    const element = document.createElement("style");
    element.textContent = rules;
    document.head.append(element);
  }

  return { start };
})();
