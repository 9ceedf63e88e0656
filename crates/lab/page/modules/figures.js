// Figures of reports: panels with curves, and fields.
import { Field } from './field.js';
import { Plot } from './plot.js';
import { element, label } from './text.js';

/** Figures below each other, whose panels stay as long as they show the same kind of thing. */
export class Figures {
  constructor(container) {
    Object.assign(this, { container, parts: [], shape: '' });
  }

  show(figures, answer, options = {}) {
    const shape = JSON.stringify(figures.map((f) => [f.columns, f.panels.map((p) => Boolean(p.surface || (p.equal && p.arrows)))]));
    if (shape !== this.shape) {
      this.shape = shape;
      this.clear();
      this.container.replaceChildren(...figures.map((figure) => {
        const heading = element('h3', {});
        const wide = figure.columns === 1 && figure.panels.length > 1 && figure.panels.every((p) => !p.surface);
        const grid = element('div', { class: wide ? 'histories same' : figure.columns > 2 ? 'panels three' : 'panels' });
        const panels = figure.panels.map((panel) => (panel.surface ? new Field() : new Plot(null, { height: wide ? 170 : 260 })));
        grid.append(...panels.map((p) => p.root));
        this.parts.push({ heading, panels });
        return element('div', {}, heading, grid);
      }));
    }
    figures.forEach((figure, k) => {
      const { heading, panels } = this.parts[k];
      heading.replaceChildren(...label(figure.title));
      // A title that stands over the view already is not repeated.
      heading.hidden = !figure.title || figure.title === options.title;
      figure.panels.forEach((panel, i) => panels[i].show(panel, answer, panel.surface ? options.scale : options));
    });
  }

  clear() {
    for (const { panels } of this.parts) panels.forEach((panel) => panel.remove());
    this.parts = [];
  }

  repaint() {
    for (const { panels } of this.parts) panels.forEach((panel) => panel.repaint());
  }
}
