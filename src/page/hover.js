/*
 * hover.js - the pointer over a figure, pins, arrow keys, and lines that show
 * the same position, channel or distance in the figures beside it.
 */
const hover = (() => {
  let tip;

  /* The group of this name in the <svg>, emptied. */
  function layer(view, name) {
    let group = view.svg.querySelector(`:scope > .${name}`);
    if (!group)
      group = chart.put(view.svg, "g", { class: name }).node();
    group.textContent = "";
    return group;
  }

  /* A line that can be seen on dark and on light cells. */
  function rule(group, x1, y1, x2, y2) {
    chart.put(group, "line", { class: "halo", x1, y1, x2, y2 });
    chart.put(group, "line", { x1, y1, x2, y2 });
  }

  /* A frame around the cell, or a ring around the value and its crosshair. */
  function draw_cursor(view, place, pinned) {
    const group = layer(view, "cursor"), { box } = view;
    group.classList.toggle("pinned", pinned);
    if (!place)
      return;
    if (view.data.kind === "heatmap") {
      const [rows, cols] = view.data.shape;
      const width = box.width / cols, height = box.height / rows;
      const x = box.x + width * place.col, y = box.y + height * place.row;
      rule(group, box.x, y + height / 2, box.x + box.width, y + height / 2);
      rule(group, x + width / 2, box.y, x + width / 2, box.y + box.height);
      chart.put(group, "rect", { x, y, width, height });
      return;
    }
    const at = figure.point(view, place);
    if (!at)
      return;
    rule(group, at[0], box.y, at[0], box.y + box.height);
    chart.put(group, "circle", { cx: at[0], cy: at[1], r: 5 });
  }

  /* ---------------------------------------------------------------- links */

  /* Draws a line where an axis shows a quantity that 'about' has a value of. */
  function draw_link(view, about) {
    const group = layer(view, "linked"), { box, data } = view;
    const x = views.quantity(data.x_label), y = views.quantity(data.y_label);
    const inside = (value, scale) => Number.isFinite(value) &&
      value >= Math.min(...scale.domain()) &&
      value <= Math.max(...scale.domain());
    if (data.kind !== "heatmap" && data.kind !== "curves")
      return;
    if (x !== null && inside(about[x], view.x))
      rule(group, view.x(about[x]), box.y, view.x(about[x]),
           box.y + box.height);
    if (y !== null && inside(about[y], view.y))
      rule(group, box.x, view.y(about[y]), box.x + box.width,
           view.y(about[y]));
    else if (data.kind === "heatmap" && !(x in about) && about.distance >= 0 &&
             (x === "position" || x === "key") &&
             about.distance <= Math.max(...view.y.domain()))
      draw_diagonal(view, group, about.distance);
  }

  /* A line through the cells of one distance, row - column. */
  function draw_diagonal(view, group, distance) {
    const last = Math.min(Math.max(...view.y.domain()) - distance,
                          Math.max(...view.x.domain()));
    rule(group, view.x(0), view.y(distance), view.x(last),
         view.y(last + distance));
  }

  function link(view, place) {
    const about = place ? views.quantities(view, place) : {};
    for (const other of views.all)
      if (other !== view && other.awake && other.scope === view.scope)
        draw_link(other, about);
  }

  /* ------------------------------------------------------------------ tip */

  function show_tip(text, x, y) {
    tip.textContent = text;
    tip.hidden = false;
    const size = tip.getBoundingClientRect();
    const left = x + 16 + size.width > innerWidth ? x - 16 - size.width
                                                  : x + 16;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, Math.min(y + 16,
                                            innerHeight - size.height - 4))}px`;
  }

  /* --------------------------------------------------------------- events */

  function at(view, event) {
    const point = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(view.svg.getScreenCTM().inverse());
    return figure.near(view, point.x, point.y);
  }

  /* Writes the description of the pin. */
  function write(view) {
    view.output.textContent = view.pin ? figure.say(view, view.pin) : "";
  }

  /* The same, aloud if it is another one. */
  function say(view) {
    const before = view.output.textContent;
    write(view);
    if (view.output.textContent !== before)
      tools.tell(view.output.textContent);
  }

  function pin(view, place) {
    view.pin = place;
    draw_cursor(view, place, place !== null);
    link(view, place);
    say(view);
    for (const action of views.on_pin)
      action(view);
  }

  function moved(view, event) {
    const place = at(view, event);
    if (!place) {
      left(view);
      return;
    }
    draw_cursor(view, place, false);
    link(view, place);
    show_tip(figure.tip(view, place), event.clientX, event.clientY);
  }

  function left(view) {
    tip.hidden = true;
    draw_cursor(view, view.pin, view.pin !== null);
    link(view, view.pin);
  }

  function clicked(view, event) {
    if (event.target.closest("[role=button]"))
      return;
    const place = at(view, event), old = view.pin;
    const same = place && old && Object.keys(place).every(
      (key) => place[key] === old[key]);
    pin(view, same ? null : place);
  }

  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
                  ArrowDown: [0, 1] };

  function pressed(view, event) {
    const step = steps[event.key], times = event.shiftKey ? 10 : 1;
    if (event.key === "Escape") {
      pin(view, null);
      tip.hidden = true;
    } else if (step && !event.ctrlKey && !event.altKey && !event.metaKey) {
      pin(view, view.pin ? figure.move(view, view.pin, step[0] * times,
                                       step[1] * times)
                         : figure.first(view));
    } else {
      return;
    }
    event.preventDefault();
  }

  function add(view) {
    const { svg } = view;
    svg.classList.add("live");
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    svg.addEventListener("pointermove", (event) => moved(view, event));
    svg.addEventListener("pointerleave", () => left(view));
    svg.addEventListener("click", (event) => clicked(view, event));
    svg.addEventListener("keydown", (event) => pressed(view, event));
  }

  /* Call this after drawing a figure on another scale or from other numbers. */
  function redraw(view) {
    if (view.pin && view.data.kind !== "heatmap" &&
        !figure.point(view, view.pin))
      view.pin = null;
    draw_cursor(view, view.pin, view.pin !== null);
    say(view);
  }

  function start() {
    tip = document.createElement("div");
    tip.id = "tip";
    tip.hidden = true;
    tip.setAttribute("aria-hidden", "true");
    document.body.append(tip);
    views.on_wake.push(add);
    words.on_change.push(() => views.all.filter((v) => v.awake).forEach(write));
  }

  return { start, redraw };
})();
