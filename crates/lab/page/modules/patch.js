// Rolling contact: tractions, paths, force over slip, transients as pictures over the distance; lines.
import { Controls } from './controls.js';
import { Field } from './field.js';
import { Figures } from './figures.js';
import { Line } from './server.js';
import { put } from './state.js';
import { element, number } from './text.js';

/** A film is played in so many seconds. */
const PLAYING = 5;

export class PatchView {
  constructor(app) {
    Object.assign(this, { app, name: 'patch', title: 'Patch', kinds: ['patch', 'line'], nothing: '004, Table 1', line: new Line('patch', 600) });
    this.tasks = element('div', { class: 'inline', role: 'group', 'aria-label': 'What is computed' });
    this.controls = new Controls(element('div', { class: 'controls' }), (key, value, live) => {
      app.change({ set: put(app.state.set, key, value) }, live);
    });
    this.side = element('div', {}, this.tasks, this.controls.container);
    this.heading = element('h2', {});
    this.text = element('pre', { class: 'scroll', tabindex: 0, 'aria-label': 'What bristle patch prints' });
    this.figures = new Figures(element('div', {}));
    this.field = new Field({ height: 320 });
    this.slider = element('input', { type: 'range', min: 0, step: 'any', 'aria-label': 'Distance', oninput: () => this.#turn(Number(this.slider.value)) });
    this.play = element('button', { type: 'button', onclick: () => this.#toggle() }, 'Play');
    this.said = element('span', { class: 'note' });
    this.film = element('div', { class: 'film', '.hidden': true }, this.field.root, element('div', { class: 'inline' }, this.play, this.slider, this.said));
    this.main = element('div', {}, this.heading, this.film, this.figures.container, element('details', { class: 'group', open: true }, element('summary', {}, 'What the command prints'), this.text));
  }

  get start() {
    return { task: 'steady', set: [['rolling.sigma_x', '0.08'], ['rolling.sigma_y', '0.04'], ['rolling.phi1', '1.5']] };
  }

  ask() {
    return {};
  }

  show(answer, state) {
    const { header } = answer;
    const task = state.task || header.tasks[0];
    this.tasks.replaceChildren(...header.tasks.map((name) => element('button', {
      type: 'button', 'aria-pressed': String(name === task), onclick: () => this.app.change({ task: name }),
    }, name)));
    this.heading.textContent = header.summary.title || (state.file ? state.file : 'A contact patch');
    this.text.textContent = header.text;
    this.controls.show(header.settings, new Set(state.set.map(([key]) => key)));
    this.figures.show(header.figures, answer, { title: header.summary.title });
    this.film.hidden = !header.film;
    if (!header.film) {
      this.#stop();
      return;
    }
    this.pictures = header.film;
    this.answer = answer;
    const all = this.pictures.map((p) => answer.column(p.figure.panels[0].surface.z));
    this.scale = [0, Math.max(...all.flatMap((z) => [...z].filter(Number.isFinite)))];
    this.slider.max = this.pictures.length - 1;
    this.#turn(this.pictures.length - 1);
  }

  /** Shows a picture. */
  #turn(k) {
    const picture = this.pictures[Math.min(this.pictures.length - 1, Math.round(k))];
    this.slider.value = k;
    this.slider.setAttribute('aria-valuetext', `${number(picture.s, 3)} m`);
    this.said.textContent = `after ${number(picture.s, 3)} m`;
    this.field.show(picture.figure.panels[0], this.answer, this.scale);
  }

  #toggle() {
    if (this.playing) {
      this.#stop();
      return;
    }
    this.play.textContent = 'Stop';
    const last = this.pictures.length - 1;
    const began = performance.now();
    const step = () => {
      const part = Math.min(1, (performance.now() - began) / (1e3 * PLAYING));
      this.#turn(part * last);
      if (part < 1) this.playing = requestAnimationFrame(step);
      else this.#stop();
    };
    this.playing = requestAnimationFrame(step);
  }

  #stop() {
    cancelAnimationFrame(this.playing);
    this.playing = null;
    this.play.textContent = 'Play';
  }

  repaint() {
    this.figures.repaint();
    this.field.repaint();
  }
}
