// Runs: any scenario or machine, with everything that it is made of open to change.
import { Controls } from './controls.js';
import { Cursor, Plot } from './plot.js';
import { Line } from './server.js';
import { listed, put } from './state.js';
import { element, number } from './text.js';

export class RunView {
  constructor(app) {
    Object.assign(this, { app, name: 'run', title: 'Run', kinds: ['run'], line: new Line('run'), plots: [], cursor: new Cursor() });
    this.answer = null;
    this.#build();
  }

  get start() {
    return { file: 'scenarios/belt.toml' };
  }

  #build() {
    const { app } = this;
    this.models = element('div', { class: 'choices' });
    this.vary = element('input', {
      type: 'text', class: 'wide', placeholder: 'friction.sigma1 = 40, 400', autocomplete: 'off', 'aria-label': 'Vary: a key and its values',
      onchange: () => {
        const [key, values = ''] = this.vary.value.split('=');
        app.change({ vary: values.trim() ? [key.trim(), listed(values)] : null });
      },
    });
    this.columns = element('div', { class: 'choices' });
    this.controls = new Controls(element('div', { class: 'controls' }), (key, value, live) => {
      app.change({ set: put(app.state.set, key, value) }, live);
    });
    this.side = element(
      'div', {},
      element('details', { class: 'group', open: true }, element('summary', {}, 'Models over each other'), this.models, element('p', { class: 'hint' }, 'or vary any key:'), this.vary),
      element('details', { class: 'group' }, element('summary', {}, 'Columns shown'), this.columns),
      this.controls.container,
    );
    this.heading = element('h2', {});
    this.note = element('p', { class: 'note' });
    this.layout = element('img', { class: 'layout', alt: '', '.hidden': true });
    this.histories = element('div', { class: 'histories' });
    this.others = element('div', { class: 'panels' });
    this.happened = element('ol', { class: 'events' });
    this.events = element('details', { class: 'group' }, element('summary', {}, 'Events'), this.happened);
    this.table = element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Extremes' });
    this.text = element('pre', { class: 'scroll', tabindex: 0, 'aria-label': 'What bristle run prints' });
    this.main = element(
      'div', {}, this.heading, this.note, this.histories, this.others, this.layout,
      element('details', { class: 'group', open: true }, element('summary', {}, 'Extremes'), this.table),
      this.events,
      element('details', { class: 'group' }, element('summary', {}, 'What bristle run prints'), this.text),
    );
  }

  /** What is asked of the server. */
  ask(state) {
    return { window: state.window, vary: state.vary };
  }

  show(answer, state) {
    const { header } = answer;
    this.answer = answer;
    this.heading.textContent = header.title || state.file;
    const took = `${number(1e3 * header.seconds, 3)} ms of computing`;
    this.note.replaceChildren(...[...header.left_out, took].flatMap((line, k) => (k ? [element('br'), line] : [line])));
    const panels = header.panels;
    while (this.plots.length > panels.length) this.plots.pop().remove();
    panels.forEach((panel, k) => {
      const own = ['history', 'energy'].includes(panel.view) ? this.histories : this.others;
      if (!this.plots[k]) {
        this.plots[k] = new Plot(this.cursor, { zoomed: (window) => this.app.change({ window }), height: 200 });
      }
      const plot = this.plots[k];
      plot.height = panel.view === 'history' ? (panels.length > 6 ? 130 : 170) : panel.view === 'energy' ? 180 : 260;
      if (plot.root.parentElement !== own) own.append(plot.root);
      plot.show(panel, answer, { window: state.window, events: header.events });
    });
    this.layout.hidden = !header.layout;
    if (header.layout) {
      this.layout.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(header.layout)}`;
      this.layout.alt = `The parts of ${header.title} and what joins them`;
    }
    this.controls.show(header.settings, new Set(state.set.map(([key]) => key)));
    this.#choices(header, state);
    this.#extremes(header);
    this.#events(header);
    this.text.textContent = header.text;
  }

  #choices(header, state) {
    const friction = header.settings.find((s) => s.key === 'friction.model');
    const chosen = state.vary?.[0] === 'friction.model' ? state.vary[1] : [];
    const shape = JSON.stringify([friction?.options, chosen, friction?.value]);
    this.vary.value = document.activeElement === this.vary ? this.vary.value : state.vary ? `${state.vary[0]} = ${state.vary[1].join(', ')}` : '';
    if (shape !== this.modelShape) {
      this.modelShape = shape;
      this.models.replaceChildren(...(friction?.options ?? []).map(([name, meaning]) => element(
        'label', { title: meaning },
        element('input', {
          type: 'checkbox', '.checked': chosen.includes(name) || (chosen.length === 0 && name === friction.value), 'data-model': name,
          onchange: () => this.#overlay(),
        }),
        name,
      )));
    }
    const shown = header.panels.filter((p) => p.view === 'history').flatMap((p) => p.series.filter((s) => s.look !== 'dashed').map((s) => s.name));
    const columns = JSON.stringify([header.columns, shown, state.set.find(([key]) => key === 'figure.panels')]);
    if (columns !== this.columnShape) {
      this.columnShape = columns;
      const now = new Set(this.#panelNames(header));
      this.columns.replaceChildren(...header.columns.map(({ name, unit }) => element(
        'label', {},
        element('input', { type: 'checkbox', '.checked': now.has(name), 'data-column': name, onchange: () => this.#show() }),
        name, element('span', { class: 'unit' }, ` [${unit.replaceAll('*', '·')}]`),
      )));
    }
  }

  /** The columns that stand over time now. */
  #panelNames(header) {
    const plain = (text) => text.replace(/_\{([^}]*)\}/g, (_, index) => `_${index.replaceAll(',', '_')}`);
    const greek = { ω: 'omega', φ: 'phi', τ: 'tau', θ: 'theta' };
    const back = (text) => plain(text).replace(/^[ωφτθ](?=_|$)/, (letter) => greek[letter]);
    return header.panels.filter((p) => p.view === 'history').flatMap((p) => p.y.label.split(/, (?![^{]*\})/)).map(back);
  }

  #overlay() {
    const names = [...this.models.querySelectorAll('input:checked')].map((box) => box.dataset.model);
    const { set } = this.app.state;
    if (names.length === 1) this.app.change({ vary: null, set: put(set, 'friction.model', names[0]) });
    else this.app.change({ vary: names.length ? ['friction.model', names] : null });
  }

  #show() {
    const names = [...this.columns.querySelectorAll('input:checked')].map((box) => box.dataset.column);
    const panels = names.length ? `[${names.map((name) => `["${name}"]`).join(', ')}]` : null;
    this.app.change({ set: put(this.app.state.set, 'figure.panels', panels) });
  }

  #extremes(header) {
    const runs = header.summary.runs ?? [{ ...header.summary, label: '' }];
    const names = Object.keys(runs[0].columns);
    const several = runs.length > 1;
    const head = ['column', ...(several ? ['run'] : []), 'unit', 'at the end', 'least', 'at [s]', 'greatest', 'at [s]'];
    const rows = names.flatMap((name) => runs.filter((run) => run.columns[name]).map((run) => {
      const c = run.columns[name];
      return element(
        'tr', { 'data-column': name },
        element('th', { scope: 'row' }, name), several ? element('td', {}, run.label) : null,
        element('td', {}, c.unit), ...[c.end, c.min, c.t_min, c.max, c.t_max].map((x, k) => element('td', { class: 'number', 'data-value': x, 'data-what': ['end', 'min', 't_min', 'max', 't_max'][k] }, number(x, 7))),
      );
    }));
    const books = runs.flatMap((run) => run.ledger.map((l) => [run.label, l]));
    const energy = books.map(([run, l]) => element(
      'tr', {},
      element('th', { scope: 'row' }, [run, l.contact].filter(Boolean).join(', ') || 'contact'),
      ...[l.work_J, l.load_J, l.stored_J, l.dissipated_J, l.slip_J].map((x) => element('td', { class: 'number' }, number(x, 6))),
      element('td', { class: 'number' }, number(l.residual_J, 2)),
    ));
    this.table.replaceChildren(
      element('table', { class: 'numbers', 'data-what': 'extremes' }, element('thead', {}, element('tr', {}, head.map((text) => element('th', { scope: 'col' }, text)))), element('tbody', {}, rows)),
      element('table', { class: 'numbers' }, element('caption', {}, 'Energy in J'), element('thead', {}, element('tr', {}, ['', 'work in', 'by load', 'stored', 'dissipated', 'of it slip', 'residual'].map((text) => element('th', { scope: 'col' }, text)))), element('tbody', {}, energy)),
    );
  }

  #events(header) {
    const labels = header.runs;
    this.events.querySelector('summary').textContent = `Events (${header.events_in_all})`;
    this.happened.replaceChildren(...header.events.map((event) => element('li', {}, element('button', {
      type: 'button', class: 'plain', onclick: () => this.cursor.move(event.t),
    }, `${number(event.t, 6)} s: ${event.what}${labels.length > 1 ? ` (${labels[event.run]})` : ''}`))));
    const more = header.events_in_all - header.events.length;
    if (more > 0) this.happened.append(element('li', { class: 'hint' }, `and ${more} more`));
  }

  repaint() {
    this.plots.forEach((plot) => plot.repaint());
  }
}

