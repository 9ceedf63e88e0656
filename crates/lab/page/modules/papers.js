// The figures of the five papers, run again.
import { Figures } from './figures.js';
import { Line } from './server.js';
import { element, number } from './text.js';

export class PapersView {
  constructor(app) {
    Object.assign(this, { app, name: 'papers', title: 'Papers', kinds: [], nothing: null, line: new Line('papers', 2000) });
    const of = (paper) => app.choices.experiments.filter((e) => e.paper === paper);
    this.links = new Map();
    this.side = element('div', {}, app.choices.papers.map(({ paper, title }) => element('details', { class: 'group', open: true }, element('summary', {}, paper), element('p', { class: 'hint' }, title), element('ul', { class: 'plain' }, of(paper).map((e) => {
      const button = element('button', { type: 'button', class: 'plain', 'data-experiment': e.name, onclick: () => app.change({ task: e.name, set: [] }) }, `${e.place}: ${e.title}`);
      this.links.set(e.name, button);
      return element('li', {}, button);
    })))));
    this.heading = element('h2', {});
    this.remarks = element('ul', { class: 'note' });
    this.scenarios = element('div', { class: 'inline' });
    this.figures = new Figures(element('div', {}));
    this.table = element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Numbers compared' });
    this.main = element('div', {}, this.heading, this.scenarios, this.figures.container, this.remarks, element('details', { class: 'group', open: true }, element('summary', {}, 'Numbers compared'), this.table));
  }

  get start() {
    return { task: this.app.choices.experiments[0].name };
  }

  ask() {
    return { file: '', text: null };
  }

  show(answer, state) {
    const { header } = answer;
    const [experiment] = header.experiments;
    this.heading.textContent = `${experiment.paper}, ${experiment.place}: ${experiment.title}`;
    for (const [name, button] of this.links) {
      if (name === experiment.name) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    }
    this.figures.show(header.figures, answer);
    this.remarks.replaceChildren(...header.remarks.map((remark) => element('li', {}, remark)));
    const files = this.app.choices.files.filter((file) => file.source.includes(`${experiment.paper} `));
    this.scenarios.replaceChildren(...(files.length ? [element('span', { class: 'hint' }, 'Change parameters in:')] : []), ...files.map((file) => element('button', {
      type: 'button', title: `${file.title} (${file.source})`, onclick: () => this.app.show({ view: this.app.viewOf(file.kind), file: file.name }),
    }, file.name.replace(/^.*\//, '').replace(/\.toml$/, ''))));
    const rows = header.summary.rows;
    const value = (x) => (x === null || x === undefined ? '–' : Array.isArray(x) ? x.map((v) => number(v, 6)).join(', ') : typeof x === 'number' ? number(x, 6) : x);
    const head = ['model', 'quantity', 'printed', 'reference', 'ours', 'verdict', 'reason'];
    this.table.replaceChildren(element(
      'table', { class: 'numbers' },
      element('thead', {}, element('tr', {}, head.map((title) => element('th', { scope: 'col' }, title)))),
      element('tbody', {}, rows.map((r) => element('tr', { 'data-verdict': r.verdict }, element('th', { scope: 'row' }, r.model), [r.quantity, r.printed ?? '–', value(r.reference), value(r.ours), r.verdict, r.reason].map((text) => element('td', {}, text ?? ''))))),
    ));
  }

  repaint() {
    this.figures.repaint();
  }
}
