// What a model does with energy, and the motion that takes some out of it, played.
import { Controls } from './controls.js';
import { Figures } from './figures.js';
import { Cursor, Plot } from './plot.js';
import { Line, view as ask } from './server.js';
import { put } from './state.js';
import { element, number } from './text.js';

/** A motion is played in so many seconds, however long it is. */
const PLAYING = 8;

export class AuditView {
  constructor(app) {
    Object.assign(this, {
      app, name: 'audit', title: 'Audit', kinds: ['run', 'line', 'audit'], nothing: 'a model alone', line: new Line('audit', 1000), cursor: new Cursor(), plots: [],
    });
    const models = app.choices.models.filter((m) => m.kind === 'model along a line');
    this.model = element('select', { 'data-what': 'model', onchange: () => app.change({ models: [this.model.value], set: [], file: '', text: null }) }, models.map((m) => element('option', { value: m.name, title: m.title }, m.name)));
    this.load = element('input', { type: 'text', inputmode: 'decimal', onchange: () => app.change({ load: this.load.value.trim() === '' ? null : Number(this.load.value) }) });
    this.controls = new Controls(element('div', { class: 'controls' }), (key, value, live) => {
      // An audit takes a moment: it waits for the slider to be let go.
      if (live) return;
      if (key === 'friction.model' && !app.state.file) app.change({ models: [value] });
      else app.change({ set: put(app.state.set, key, value) });
    });
    this.own = element('div', {}, element('label', { class: 'stack' }, 'Model', this.model), element('label', { class: 'stack' }, 'Load [N]', this.load));
    this.side = element('div', {}, this.own, this.controls.container);
    this.heading = element('h2', {});
    this.text = element('pre', { class: 'scroll verdict', tabindex: 0, 'aria-label': 'Verdict' });
    this.play = element('button', { type: 'button', onclick: () => this.#toggle() }, 'Play');
    this.said = element('p', { class: 'note' });
    this.stage = element('canvas', { class: 'stage', role: 'img', 'aria-label': 'A body moved over its counterpart, and the energy that it has taken out' });
    this.played = element('div', { class: 'histories' });
    this.motion = element('section', { class: 'motion', '.hidden': true, 'aria-label': 'The motion that takes energy out' }, element('h3', {}, 'The motion that takes energy out'), element('div', { class: 'inline' }, this.play, this.said), this.stage, this.played);
    this.figures = new Figures(element('div', {}));
    this.main = element('div', {}, this.heading, this.text, this.motion, this.figures.container);
    this.cursor.panels.add({ point: (t) => this.#act(t), ranges: null });
  }

  get start() {
    return { models: [this.app.choices.models.find((m) => m.abilities?.passivity_is_conditional)?.name ?? this.app.choices.models[0].name] };
  }

  ask(state) {
    // A file brings its own model and load.
    return state.file ? { models: [], load: null } : {};
  }

  show(answer, state) {
    const { header } = answer;
    this.own.hidden = Boolean(state.file);
    this.model.value = state.models[0] ?? this.model.value;
    if (document.activeElement !== this.load) this.load.value = header.load ?? '';
    this.heading.textContent = state.file ? `Audit of ${state.file}` : `Audit of ${state.models[0]}`;
    this.text.textContent = header.text;
    this.controls.show(header.settings, new Set(state.set.map(([key]) => key)));
    this.figures.show(header.figures, answer);
    if (header.drive !== this.drive) this.#motion(header.drive);
  }

  /** Has the motion run, as a scenario of its own. */
  async #motion(drive) {
    this.drive = drive;
    this.#stop();
    this.motion.hidden = !drive;
    if (!drive) return;
    let answer;
    try {
      answer = await ask('run', { file: 'drive.toml', text: drive, pixels: 1200 });
    } catch (error) {
      this.said.textContent = error.message;
      return;
    }
    if (this.drive !== drive) return;
    const { panels, end } = answer.header;
    const shown = panels.filter((panel) => panel.view === 'history' || panel.view === 'energy');
    while (this.plots.length > shown.length) this.plots.pop().remove();
    shown.forEach((panel, k) => {
      this.plots[k] ??= new Plot(this.cursor, { height: 130 });
      if (!this.plots[k].root.isConnected) this.played.append(this.plots[k].root);
      this.plots[k].show(panel, answer);
    });
    const column = (label) => {
      const series = panels.flatMap((p) => p.series.map((s) => [p, s])).find(([p]) => p.view === 'history' && p.y.label === label)?.[1];
      return series && { t: answer.column(series.t ?? series.x), y: answer.column(series.y) };
    };
    const energy = panels.find((p) => p.view === 'energy');
    const work = energy?.series.find((s) => s.look === 'dashed');
    this.run = { end, x: column('x'), force: column('F'), work: work && { t: answer.column(work.x), y: answer.column(work.y) } };
    const total = this.run.work ? this.run.work.y[this.run.work.y.length - 1] : NaN;
    this.said.textContent = total < 0
      ? `The drive gets ${number(-total, 4)} J out of friction in ${number(end, 4)} s.`
      : `${number(end, 4)} s`;
    this.#act(0);
  }

  #toggle() {
    if (this.playing) this.#stop();
    else {
      const from = performance.now() - 1e3 * PLAYING * ((this.cursor.t ?? 0) / this.run.end % 1);
      this.play.textContent = 'Stop';
      const step = () => {
        const part = (performance.now() - from) / (1e3 * PLAYING);
        this.cursor.move(Math.min(1, part) * this.run.end);
        this.playing = part < 1 ? requestAnimationFrame(step) : null;
        if (part >= 1) this.play.textContent = 'Play';
      };
      this.playing = requestAnimationFrame(step);
    }
  }

  #stop() {
    cancelAnimationFrame(this.playing);
    this.playing = null;
    this.play.textContent = 'Play';
  }

  /** The body on its counterpart at a time. */
  #act(t) {
    if (!this.run?.x || t === null) return;
    const at = ({ t: times, y }) => {
      let k = times.findIndex((x) => x >= t);
      if (k < 0) k = times.length - 1;
      if (k === 0) return y[0];
      const part = (t - times[k - 1]) / (times[k] - times[k - 1] || 1);
      return y[k - 1] + part * (y[k] - y[k - 1]);
    };
    const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const [width, height] = [this.stage.clientWidth || 400, 92];
    Object.assign(this.stage, { width: width * devicePixelRatio, height: height * devicePixelRatio });
    const ctx = this.stage.getContext('2d');
    ctx.scale(devicePixelRatio, devicePixelRatio);
    ctx.font = '13px system-ui, sans-serif';
    const { x, force, work } = this.run;
    const extent = (c) => c.y.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [0, 0]);
    const [low, high] = extent(x);
    const body = 60;
    const place = 30 + (width - 60 - body) * ((at(x) - low) / (high - low || 1));
    ctx.strokeStyle = css('--axis');
    ctx.beginPath();
    ctx.moveTo(10, 72.5);
    ctx.lineTo(width - 10, 72.5);
    ctx.stroke();
    ctx.fillStyle = css('--accent');
    ctx.fillRect(place, 40, body, 32);
    if (force) {
      const most = Math.max(...extent(force).map(Math.abs)) || 1;
      const length = -(at(force) / most) * 60;
      ctx.strokeStyle = css('--event');
      ctx.lineWidth = 3;
      ctx.beginPath();
      ctx.moveTo(place + body / 2, 56);
      ctx.lineTo(place + body / 2 + length, 56);
      ctx.lineTo(place + body / 2 + length - 6 * Math.sign(length), 51);
      ctx.moveTo(place + body / 2 + length, 56);
      ctx.lineTo(place + body / 2 + length - 6 * Math.sign(length), 61);
      ctx.stroke();
    }
    ctx.fillStyle = css('--ink');
    const out = work ? -at(work) : NaN;
    ctx.fillText(`t = ${number(t, 3)} s   friction on the body ${force ? number(-at(force), 3) : '–'} N   energy ${out >= 0 ? 'taken out' : 'put in'}: ${number(Math.abs(out), 3)} J`, 10, 20);
    ctx.fillText('the arrow is the force of friction', 10, 88);
  }

  repaint() {
    this.figures.repaint();
    this.plots.forEach((plot) => plot.repaint());
  }
}
