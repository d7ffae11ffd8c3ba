/* tools.js - the row of buttons below a figure */
const tools = (() => {
  function button(row, en, zh, action) {
    const out = document.createElement("button");
    out.type = "button";
    if (en === zh)
      out.textContent = en;
    else
      words.both(out, en, zh);
    out.addEventListener("click", action);
    row.prepend(out);
    return out;
  }

  /* One that is on or off. */
  function toggle(row, en, zh, action) {
    const out = button(row, en, zh, () => {
      const on = out.getAttribute("aria-pressed") !== "true";
      out.setAttribute("aria-pressed", on);
      action(on);
    });
    out.setAttribute("aria-pressed", "false");
    return out;
  }

  /* The row, with the line that says what is pinned. */
  function add(view) {
    view.tools = document.createElement("div");
    view.tools.className = "tools";
    view.output = document.createElement("output");
    view.output.setAttribute("aria-live", "polite");
    view.tools.append(view.output);
    view.svg.after(view.tools);
  }

  /* At once, so that nothing moves when buttons come. */
  function start() {
    views.all.forEach(add);
  }

  return { start, button, toggle };
})();
