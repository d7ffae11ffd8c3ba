/* controls.js - sliders, choices and switches with names in both languages */
const controls = (() => {
  let count = 0;

  /* Appends a label with these elements, of which the last is the control.
     'htmlFor' names it, because another element before it can have a label, too. */
  function labelled(parent, en, zh, ...elements) {
    const label = document.createElement("label");
    const control = elements[elements.length - 1];
    if (control) {
      control.id = control.id || `control-${++count}`;
      label.htmlFor = control.id;
    }
    words.both(label, en, zh);
    label.append(...elements);
    parent.append(label);
    return label;
  }

  /*
   * With "log", the slider holds the logarithm of the value to that base; least,
   * most and step then count logarithms.  changed(value) is called as the
   * slider moves.
   */
  function slider(parent, { name, en, zh, least, most, step = 1, value, log },
                  changed) {
    const output = document.createElement("span");
    const input = document.createElement("input");
    const read = () => log === 10
      ? Number(Math.pow(10, Number(input.value)).toPrecision(3))
      : log ? Math.pow(log, Number(input.value)) : Number(input.value);
    const tell = () => {
      output.textContent = views.number(read());
      input.setAttribute("aria-valuetext", output.textContent);
    };
    const put = (v) => {
      input.value = log ? Math.log(v) / Math.log(log) : v;
      tell();
    };
    output.className = "value"; /* which screen readers say as the slider's */
    Object.assign(input, { type: "range", min: least, max: most, step, name });
    put(value);
    input.addEventListener("input", () => {
      tell();
      changed(read());
    });
    labelled(parent, en, zh, output, input);
    return { input, put };
  }

  /* choices: a list of [value, en, zh] */
  function select(parent, { name, en, zh, choices, value }, changed) {
    const element = document.createElement("select");
    element.name = name;
    for (const [own] of choices) {
      const option = document.createElement("option");
      option.value = own;
      option.selected = own === value;
      element.append(option);
    }
    const rename = () => [...element.options].forEach((option, i) => {
      option.textContent = words.say(choices[i][1], choices[i][2]);
    });
    rename();
    words.on_change.push(rename);
    element.addEventListener("change", () => changed(element.value));
    labelled(parent, en, zh, element);
    return element;
  }

  function check(parent, { name, en, zh, value }, changed) {
    const input = document.createElement("input");
    Object.assign(input, { type: "checkbox", name, checked: value });
    input.addEventListener("change", () => changed(input.checked));
    const label = labelled(parent, en, zh);
    label.className = "check";
    label.prepend(input);
    return input;
  }

  /* A row for controls, after the element 'above' or, if that is null, at the end
     of 'parent'. */
  function row(above, parent) {
    const out = document.createElement("div");
    out.className = "controls";
    if (above)
      above.after(out);
    else
      parent.append(out);
    return out;
  }

  return { slider, select, check, row };
})();
