// Sliders, lists and fields for everything that can be set, from what the server declares of it.
import { element, number, typed } from './text.js';

const STEPS = 1000;

/** Where a value stands on its slider, 0 to 1000. */
function place(slider, value) {
  const { from, to, log, zero } = slider;
  if (log) {
    if (value <= 0) return 0;
    const part = Math.log(value / from) / Math.log(to / from);
    // Zero has the first place, and numbers the others.
    const first = zero ? 1 : 0;
    return Math.round(first + Math.min(1, Math.max(0, part)) * (STEPS - first));
  }
  return Math.round(STEPS * Math.min(1, Math.max(0, (value - from) / (to - from))));
}

function valueAt(slider, at) {
  const { from, to, log, zero } = slider;
  if (!log) return from + (to - from) * (at / STEPS);
  if (zero && at === 0) return 0;
  const first = zero ? 1 : 0;
  return from * (to / from) ** ((at - first) / (STEPS - first));
}

const group = (key) => key.slice(0, key.lastIndexOf('.'));
const name = (key) => key.slice(key.lastIndexOf('.') + 1);

/** What stands over a group of settings. */
const heading = (path) => path.split('.').join(' › ');

export class Controls {
  /** `changed(key, value, live)`: live while a slider is held; value null to go back to the file. */
  constructor(container, changed) {
    Object.assign(this, { container, changed, rows: new Map(), shape: '' });
    this.search = element('input', {
      type: 'search', placeholder: 'find a parameter', 'aria-label': 'Find a parameter', oninput: () => this.#filter(),
    });
    this.list = element('div', {});
    container.append(this.search, this.list);
  }

  /** Shows settings; `over` are those that differ from the file. */
  show(settings, over) {
    const shape = settings.map((s) => `${s.key}:${s.options?.map((o) => o[0])}:${s.slider ? 1 : 0}`).join('|');
    if (shape !== this.shape) {
      this.shape = shape;
      this.#build(settings);
    }
    for (const setting of settings) this.rows.get(setting.key)?.update(setting, over.has(setting.key));
  }

  #build(settings) {
    const open = new Map([...this.list.querySelectorAll('details')].map((d) => [d.dataset.group, d.open]));
    const focused = document.activeElement?.dataset?.key;
    this.rows.clear();
    const groups = new Map();
    for (const setting of settings) {
      const path = group(setting.key);
      if (!groups.has(path)) groups.set(path, []);
      groups.get(path).push(this.#row(setting));
    }
    this.list.replaceChildren(...[...groups].map(([path, rows], k) => element(
      'details',
      { 'data-group': path, '.open': open.get(path) ?? !['run', 'observer', 'surface'].includes(path) },
      element('summary', {}, heading(path)),
      ...rows,
    )));
    this.#filter();
    if (focused) this.list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  #row(setting) {
    const id = `s-${setting.key.replace(/[^a-z0-9]/gi, '-')}`;
    const range = setting.range ? `, range ${setting.range.text}` : '';
    const unit = setting.unit ? ` [${setting.unit.replaceAll('*', '·').replaceAll('^2', '²')}]` : '';
    const equation = setting.equation ? ` (${setting.equation})` : '';
    const title = `${setting.key}: ${setting.meaning}${equation}${range}`;
    const reset = element('button', {
      class: 'reset', type: 'button', title: `${setting.key} as in the file`, 'aria-label': `${setting.key} as in the file`,
      onclick: () => this.changed(setting.key, null, false),
    }, '↺');
    const caption = element('label', { for: id, title }, name(setting.key), element('span', { class: 'unit' }, unit));
    const row = element('div', { class: 'row', 'data-words': `${setting.key} ${setting.meaning}`.toLowerCase() }, caption);
    const marked = (over) => {
      row.classList.toggle('over', over);
      reset.disabled = !over;
    };
    let update;
    if (setting.options) {
      const field = element('select', {
        id, 'data-key': setting.key, title,
        onchange: () => this.changed(setting.key, field.value, false),
      }, setting.options.map(([own, meaning]) => element('option', { value: own, title: meaning }, own)));
      row.append(field, reset);
      update = (now, over) => {
        field.value = now.value;
        marked(over);
      };
    } else if (Array.isArray(setting.value)) {
      const field = element('input', {
        id, type: 'text', class: 'wide', 'data-key': setting.key, title, autocomplete: 'off',
        onchange: () => this.changed(setting.key, `[${field.value.replace(/^\[|\]$/g, '')}]`, false),
      });
      row.append(field, reset);
      update = (now, over) => {
        if (document.activeElement !== field) field.value = now.value.map((x) => String(x)).join(', ');
        marked(over);
      };
    } else {
      const field = element('input', {
        id, type: 'text', inputmode: 'decimal', 'data-key': setting.key, title, autocomplete: 'off',
        onchange: () => this.changed(setting.key, field.value.trim().replace('−', '-') || null, false),
      });
      row.append(field, reset);
      let current = setting;
      if (setting.slider) {
        const slider = element('input', {
          type: 'range', min: 0, max: STEPS, step: 1, 'data-slider': setting.key, title, 'aria-label': `${setting.key}${unit}`,
          oninput: () => send(true),
          onchange: () => send(false),
        });
        const send = (live) => {
          const value = typed(valueAt(current.slider, Number(slider.value)));
          field.value = value;
          slider.setAttribute('aria-valuetext', `${value}${unit}`);
          this.changed(setting.key, value, live);
        };
        row.append(slider);
        row.slider = slider;
      }
      update = (now, over) => {
        current = now;
        if (document.activeElement !== field) field.value = number(now.value, 7).replace('−', '-').replace('e−', 'e-');
        if (row.slider && !row.slider.matches(':active')) {
          row.slider.value = place(now.slider, now.value);
          row.slider.setAttribute('aria-valuetext', `${field.value}${unit}`);
        }
        marked(over);
      };
    }
    this.rows.set(setting.key, { update });
    return row;
  }

  #filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of this.list.querySelectorAll('.row')) {
      row.hidden = !words.every((word) => row.dataset.words.includes(word));
    }
    for (const details of this.list.querySelectorAll('details')) {
      details.hidden = words.length > 0 && !details.querySelector('.row:not([hidden])');
      if (words.length > 0 && !details.hidden) details.open = true;
    }
  }
}
