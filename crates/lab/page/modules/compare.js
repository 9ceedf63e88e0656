// Models beside each other in the standard tests.
import { Controls } from './controls.js';
import { Figures } from './figures.js';
import { Line } from './server.js';
import { put } from './state.js';
import { element, number } from './text.js';

/** The columns of the table: what is said over them, and what is taken of a row. */
const COLUMNS = [
  ['holds a stick', (r) => r.holds_a_stick],
  ['creep a pulse [m]', (r) => number(r.creep_m, 3)],
  ['break-away, slow', (r) => percent(r.break_away[0])],
  ['break-away, fast', (r) => percent(r.break_away[r.break_away.length - 1])],
  ['off its law', (r) => percent(r.departure_from_law)],
  ['passive', (r) => r.passive],
  ['bounded rates', (r) => (r.bounded_rates ? 'yes' : 'no')],
  ['steps a second', (r) => number(r.steps_per_s, 4)],
  ['cost [µs/s]', (r) => number(r.cost_s_per_s === null ? null : 1e6 * r.cost_s_per_s, 3)],
];

const percent = (x) => (x === null ? '–' : `${number(100 * x, 3)} %`);

export class CompareView {
  constructor(app) {
    Object.assign(this, { app, name: 'compare', title: 'Compare', kinds: [], nothing: 'start values', line: new Line('compare', 1500) });
    const models = app.choices.models.filter((m) => m.kind === 'model along a line');
    this.models = element('div', { class: 'choices' }, models.map((m) => element('label', { title: m.title }, element('input', { type: 'checkbox', 'data-model': m.name, onchange: () => this.#choose() }), m.name)));
    this.load = element('input', { type: 'text', inputmode: 'decimal', onchange: () => app.change({ load: this.load.value.trim() === '' ? null : Number(this.load.value) }) });
    this.controls = new Controls(element('div', { class: 'controls' }), (key, value, live) => {
      if (!live) app.change({ set: put(app.state.set, key, value) });
    });
    this.side = element('div', {}, element('details', { class: 'group', open: true }, element('summary', {}, 'Models'), this.models), element('label', { class: 'stack' }, 'Load [N]', this.load), element('p', { class: 'hint' }, 'A value is set for every model that takes it:'), this.controls.container);
    this.heading = element('h2', {}, 'Models in the standard tests');
    this.note = element('p', { class: 'note' });
    this.table = element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Results' });
    this.figures = new Figures(element('div', {}));
    this.text = element('pre', { class: 'scroll', tabindex: 0, 'aria-label': 'What bristle compare prints' });
    this.main = element('div', {}, this.heading, this.note, this.table, this.figures.container, element('details', { class: 'group' }, element('summary', {}, 'What bristle compare prints'), this.text));
  }

  get start() {
    return {};
  }

  ask() {
    return { file: '', text: null };
  }

  #choose() {
    this.app.change({ models: [...this.models.querySelectorAll('input:checked')].map((box) => box.dataset.model) });
  }

  show(answer, state) {
    const { header } = answer;
    for (const box of this.models.querySelectorAll('input')) box.checked = header.models.includes(box.dataset.model);
    if (document.activeElement !== this.load) this.load.value = header.summary.load_N;
    this.controls.show(header.settings, new Set(state.set.map(([key]) => key)));
    const out = header.summary.left_out;
    this.note.textContent = `under ${number(header.summary.load_N, 4)} N${out.length ? `; left out, because they do not take the values: ${out.join(', ')}` : ''}`;
    this.table.replaceChildren(element(
      'table', { class: 'numbers' },
      element('thead', {}, element('tr', {}, ['model', ...COLUMNS.map(([title]) => title)].map((title) => element('th', { scope: 'col' }, title)))),
      element('tbody', {}, header.summary.models.map((row) => element('tr', { 'data-model': row.name }, element('th', { scope: 'row' }, row.name), COLUMNS.map(([, of]) => element('td', { class: 'number' }, of(row)))))),
    ));
    this.figures.show(header.figures, answer);
    this.text.textContent = header.text;
  }

  repaint() {
    this.figures.repaint();
  }
}
