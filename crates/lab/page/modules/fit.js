// Parameters from a log that is dropped on the page.
import { Figures } from './figures.js';
import { Line, progress } from './server.js';
import { Plot } from './plot.js';
import { listed } from './state.js';
import { element, label, number } from './text.js';

/** How often the server is asked how far it is, ms. */
const BETWEEN = 250;

export class FitView {
  constructor(app) {
    Object.assign(this, { app, name: 'fit', title: 'Fit', kinds: ['fit'], line: new Line('fit', 2000) });
    const models = app.choices.models.filter((m) => m.kind === 'model along a line').map((m) => m.name);
    this.models = element('input', { type: 'text', class: 'wide', list: 'fit-models', placeholder: 'as in the file', autocomplete: 'off', onchange: () => app.change({ models: listed(this.models.value) }) });
    this.side = element('div', {}, element('p', { class: 'hint' }, 'Drop a fit file and the logs that it names on the page, all at once.'), element('label', { class: 'stack' }, 'Models to compare', this.models), element('datalist', { id: 'fit-models' }, models.map((name) => element('option', { value: name }))));
    this.heading = element('h2', {});
    this.stage = element('p', { class: 'note' });
    this.course = new Plot(null, { height: 150 });
    this.results = element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Parameters found' });
    this.figures = new Figures(element('div', {}));
    this.text = element('pre', { class: 'scroll', tabindex: 0, 'aria-label': 'What bristle fit prints' });
    this.set = element('pre', { class: 'scroll', tabindex: 0, 'aria-label': 'The parameter set' });
    this.main = element(
      'div', {}, this.heading, this.stage, this.course.root, this.results, this.figures.container,
      element('details', { class: 'group', open: true }, element('summary', {}, 'What bristle fit prints'), this.text),
      element('details', { class: 'group' }, element('summary', {}, 'The parameter set'), this.set),
    );
  }

  get start() {
    return { file: this.app.choices.files.find((file) => file.kind === 'fit')?.name ?? '' };
  }

  ask() {
    this.#watch();
    return {};
  }

  /** Shows how far a fit is, as long as one is under way. */
  #watch() {
    clearInterval(this.timer);
    this.stage.textContent = 'fitting…';
    this.timer = setInterval(async () => {
      if (!this.line.busy) {
        clearInterval(this.timer);
        return;
      }
      let now;
      try {
        now = await progress('fit');
      } catch {
        // The request that is under way says what is wrong.
        return;
      }
      if (!now?.told?.course || !this.line.busy) return;
      this.stage.textContent = now.told.text;
      this.#draw(now.told.course);
    }, BETWEEN);
  }

  /** The residuals over the evaluations. */
  #draw(course) {
    const values = Float64Array.from(course.length ? course : [NaN]);
    const columns = [values.map((_, k) => k + 1), values];
    const axis = (text, log) => ({ label: text, unit: '', log, limits: null });
    this.course.show(
      { title: '', x: axis('evaluations', false), y: axis('residuals in noise levels', true), marks: [], series: [{ name: '', look: 'solid', rank: 0, x: 0, y: 1 }] },
      { column: (k) => columns[Number(k)] },
    );
  }

  show(answer, state) {
    const { header } = answer;
    clearInterval(this.timer);
    this.heading.textContent = header.title || state.file;
    if (document.activeElement !== this.models) this.models.value = state.models.join(', ');
    const seconds = header.outcomes.reduce((sum, o) => sum + o.seconds, 0);
    this.stage.textContent = `done in ${number(seconds, 3)} s`;
    this.#draw(header.course);
    this.results.replaceChildren(...header.outcomes.map((outcome) => element(
      'table', { class: 'numbers' },
      element('caption', {}, `${outcome.model}, with 95 % intervals`),
      element('thead', {}, element('tr', {}, ['parameter', 'value', 'from', 'to', 'unit'].map((title) => element('th', { scope: 'col' }, title)))),
      element('tbody', {}, outcome.estimates.map((e) => element(
        'tr', { 'data-name': e.name }, element('th', { scope: 'row' }, ...label(e.name)),
        element('td', { class: 'number' }, e.determined ? number(e.value, 5) : 'not determined'),
        element('td', { class: 'number' }, e.interval ? number(e.interval[0], 5) : '–'), element('td', { class: 'number' }, e.interval ? number(e.interval[1], 5) : '–'),
        element('td', {}, e.unit === '1' ? '' : e.unit),
      ))),
    )));
    this.figures.show(header.figures, answer, { title: header.title });
    this.text.textContent = header.text;
    this.set.textContent = header.set ?? '';
  }

  repaint() {
    this.figures.repaint();
    this.course.repaint();
  }
}
