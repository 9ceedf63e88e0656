// Panels of a figure as curves by uPlot, with one cursor for all of them.
/* global uPlot */
import { element, label, number, spoken } from './text.js';

// Okabe and Ito; black is white on a dark page.
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', null];
const ON_DARK = ['#4aa8e0', '#ff8a3d', '#25c79b', '#e29cc4', '#ffc04d', '#8fd0f5', null];
const DASHES = [[], [7, 4], [10, 4, 2, 4], [2, 4], [14, 4, 4, 4]];
const AREAS = ['#e69f00', '#cc79a7', '#56b4e9', '#009e73'];

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const isDark = () => css('--dark') === '1';

export function colour(rank) {
  const all = isDark() ? ON_DARK : COLOURS;
  return all[rank % all.length] ?? css('--ink');
}

const dashes = (look, rank) => {
  if (look === 'dashed') return DASHES[1];
  return look === 'line' ? DASHES[rank % DASHES.length] : [];
};

/** Least and greatest number. */
function ends(columns, log) {
  let [low, high] = [Infinity, -Infinity];
  for (const column of columns) {
    for (const x of column) {
      if (log ? x > 0 && x < Infinity : Number.isFinite(x)) {
        if (x < low) low = x;
        if (x > high) high = x;
      }
    }
  }
  return low <= high ? [low, high] : null;
}

/** What an axis shows: its limits, or all data with a margin. */
function range(axis, found, margin) {
  if (axis.limits) return axis.limits;
  if (!found) return axis.log ? [0.1, 10] : [0, 1];
  let [low, high] = found;
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (axis.log) {
    if (high / low < 1 + 1e-9) return [low / 3, high * 3];
    const more = (high / low) ** margin;
    return [low / more, high * more];
  }
  if (high - low <= 1e-10 * size) [low, high] = size === 0 ? [-1, 1] : [low - 0.5 * size, high + 0.5 * size];
  const more = margin * (high - low);
  return [low - more, high + more];
}

/** The power of ten that an axis leaves out of its numbers, a multiple of three. */
export function power([low, high], log) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (log || size === 0 || (size >= 1e-2 && size < 1e5)) return 0;
  return 3 * Math.floor(Math.log10(size) / 3);
}

const SUPERSCRIPTS = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

/** The unit of an axis in brackets, with the power that its numbers leave out. */
export function unitOf(axis, exponent) {
  const times = exponent ? `10${[...String(exponent)].map((c) => SUPERSCRIPTS[c]).join('')} ` : '';
  const unit = `${times}${axis.unit}`.trim();
  return unit ? ` [${unit}]` : '';
}

function titled(axis, exponent) {
  return [...label(axis.label), element('span', { class: 'unit' }, unitOf(axis, exponent))];
}

/** Where a value lies in a rising column: after which entry, and how far towards the next one. */
function within(column, x) {
  let [low, high] = [0, column.length - 1];
  if (high < 1 || x <= column[0]) return [0, 0];
  if (x >= column[high]) return [high - 1, 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (column[middle] <= x) low = middle;
    else high = middle;
  }
  return [low, (x - column[low]) / (column[high] - column[low])];
}

/** One cursor for several panels. */
export class Cursor {
  constructor() {
    this.panels = new Set();
    this.t = null;
  }

  move(t) {
    this.t = t;
    for (const panel of this.panels) panel.point(t);
  }

  /** The span of time that the panels show. */
  span() {
    for (const panel of this.panels) if (panel.overTime) return panel.ranges[0];
    return null;
  }
}

/** A panel that stays, and is given one content after the other. */
export class Plot {
  /** `zoomed([from, to] or null)` hears of stretches of time that are asked for. */
  constructor(cursor, { zoomed, height = 200 } = {}) {
    Object.assign(this, { cursor, zoomed, height, uplot: null, shape: '', curves: [], keys: [], content: null });
    this.title = element('h3', { class: 'panel-title' });
    this.top = element('div', { class: 'axis-y' });
    this.legend = element('ul', { class: 'legend' });
    this.box = element('div', { class: 'plot', tabindex: 0, role: 'group' });
    this.foot = element('div', { class: 'axis-x' });
    this.readout = element('div', { class: 'sr', 'aria-live': 'polite' });
    this.root = element('figure', { class: 'panel' }, this.title, element('div', { class: 'panel-head' }, this.top, this.legend), this.box, this.foot, this.readout);
    this.box.addEventListener('keydown', (event) => this.#key(event));
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(this.box);
    cursor?.panels.add(this);
  }

  remove() {
    this.observer.disconnect();
    this.cursor?.panels.delete(this);
    this.uplot?.destroy();
    this.root.remove();
  }

  /** Shows a panel of an answer. `window`: the stretch of time that is shown. */
  show(panel, answer, { window = null, events = [] } = {}) {
    const column = (place) => (place === null || place === undefined ? null : answer.column(place));
    let curves = panel.series.map((s, k) => ({
      ...s, rank: s.rank ?? k, x: column(s.x), y: column(s.y), t: column(s.t), area: null,
    }));
    this.overTime = panel.view === 'history' || panel.view === 'energy';
    if (panel.view === 'energy') curves = stacked(curves);
    else if (panel.view && panel.series.some((s) => s.run > 0)) {
      // Several runs: the colour is that of the run, whatever it shows.
      curves = curves.map((c) => ({ ...c, rank: c.run ?? c.rank }));
    } else if (panel.view === 'law') {
      curves = curves.map((c, k) => ({ ...c, rank: k === 0 ? 0 : 1 }));
    }
    this.content = { panel, answer, window, events };
    this.curves = curves;
    this.events = events;
    this.marks = panel.marks.map((m) => (m.kind === 'region' ? { ...m, x: column(m.x), y: column(m.y) } : m));
    const marks = (key, kinds) => this.marks.filter((m) => kinds.includes(m.kind)).map((m) => m[key]);
    const rises = curves.every((c) => c.look !== 'points' && c.look !== 'dots' && isRising(c.x));
    const x = ends([...curves.map((c) => c.x), marks('at', ['vertical']), marks('x', ['point'])], panel.x.log);
    const y = ends([...curves.map((c) => c.y), marks('at', ['horizontal']), marks('y', ['point'])], panel.y.log);
    this.ranges = [
      this.overTime && window ? window : range(panel.x, x, rises ? 0 : 0.05),
      range(panel.y, y, 0.06),
    ];
    this.powers = [power(this.ranges[0], panel.x.log), power(this.ranges[1], panel.y.log)];
    this.axes = [panel.x, panel.y];
    this.title.replaceChildren(...label(panel.title));
    this.title.hidden = !panel.title;
    this.top.replaceChildren(...titled(panel.y, this.powers[1]).filter(Boolean));
    this.foot.replaceChildren(...titled(panel.x, this.powers[0]).filter(Boolean));
    this.equal = panel.equal;
    this.#describe(panel, x, y);
    this.#draw();
    this.#legend();
    this.point(this.cursor?.t ?? null);
  }

  /** The same again, in the colours of now. */
  repaint() {
    this.shape = '';
    if (this.content) this.show(this.content.panel, this.content.answer, this.content);
  }

  #describe(panel, x, y) {
    const names = [...new Set(this.curves.map((c) => spoken(c.name)).filter(Boolean))];
    const span = (found, axis) => (found ? `from ${number(found[0], 3)} to ${number(found[1], 3)} ${axis.unit}` : 'without numbers');
    const said = [
      `${spoken(panel.y.label)} over ${spoken(panel.x.label)}`,
      `${spoken(panel.x.label)} ${span(x, panel.x)}`, `${spoken(panel.y.label)} ${span(y, panel.y)}`,
      names.length ? `curves: ${names.join(', ')}` : '',
      this.cursor ? 'arrow keys move the cursor' : '',
    ];
    this.box.setAttribute('aria-label', said.filter(Boolean).join('; '));
  }

  #legend() {
    const named = this.curves.filter((c, k) => c.name && (this.curves.length > 1 || c.t) && this.curves.findIndex((d) => d.name === c.name && d.rank === c.rank && d.look === c.look) === k);
    const one = this.curves.filter((c) => c.t).length === 1;
    const shape = JSON.stringify([named.map((c) => [c.name, c.rank, c.look, Boolean(c.area)]), isDark(), one]);
    if (shape === this.legendShape) return;
    this.legendShape = shape;
    this.keys = [];
    this.legend.replaceChildren(...named.map((curve) => {
      const value = element('span', { class: 'value' });
      if (curve.t) this.keys.push({ value, index: this.curves.indexOf(curve) });
      return element('li', {}, sample(curve), element('span', { class: one && named.length === 1 ? 'sr' : '' }, ...label(curve.name)), value);
    }));
  }

  #options(width, height) {
    const ink = css('--ink');
    const axis = (k) => ({
      stroke: ink, font: '12px system-ui, sans-serif', size: k === 0 ? 26 : 52, gap: 3,
      space: k === 0 ? 60 : 28,
      grid: { stroke: css('--grid'), width: 1 }, ticks: { stroke: css('--grid'), width: 1, size: 4 },
      values: (_, splits) => splits.map((v) => (v === null ? '' : this.axes[k].log && !isDecade(v) ? '' : this.axes[k].log ? number(v, 3) : tick(v / 10 ** this.powers[k]))),
    });
    const scale = (k) => ({ time: false, distr: this.axes[k].log ? 3 : 1, range: () => this.ranges[k] });
    return {
      mode: 2, width, height, legend: { show: false }, cursor: { show: false },
      padding: [6, 18, 0, 0],
      scales: { x: scale(0), y: scale(1) },
      axes: [axis(0), axis(1)],
      series: [{}, ...this.curves.map((curve) => ({
        auto: false,
        stroke: curve.area ? null : curve.look === 'points' || curve.look === 'dots' ? null : curve.colour ?? colour(curve.rank),
        fill: curve.area ?? (curve.look === 'points' || curve.look === 'dots' ? colour(curve.rank) : null),
        width: 1.8, dash: dashes(curve.look, curve.rank), paths: (u, k) => this.#path(u, k - 1),
        points: { show: false },
      }))],
      hooks: { drawAxes: [(u) => this.#under(u)], draw: [(u) => this.#over(u)] },
    };
  }

  #path(u, k) {
    const curve = this.curves[k];
    const path = new Path2D();
    if (!curve) return null;
    const { x, y } = curve;
    const [px, py] = places(u);
    if (curve.look === 'points' || curve.look === 'dots') {
      const r = (curve.look === 'points' ? 3 : 1) * devicePixelRatio;
      for (let i = 0; i < x.length; i += 1) {
        const [a, b] = [px(x[i]), py(y[i])];
        if (Number.isFinite(a) && Number.isFinite(b)) {
          path.moveTo(a + r, b);
          path.arc(a, b, r, 0, 2 * Math.PI);
        }
      }
      return { stroke: null, fill: path, clip: null, flags: 0 };
    }
    let pen = false;
    for (let i = 0; i < x.length; i += 1) {
      const [a, b] = [px(x[i]), py(y[i])];
      if (!Number.isFinite(a) || !Number.isFinite(b)) pen = false;
      else if (pen) path.lineTo(a, b);
      else {
        path.moveTo(a, b);
        pen = true;
      }
    }
    if (!curve.area) return { stroke: path, fill: null, clip: null, flags: 0 };
    for (let i = x.length - 1; i >= 0; i -= 1) path.lineTo(px(x[i]), py(curve.base[i]));
    path.closePath();
    return { stroke: null, fill: path, clip: null, flags: 0 };
  }

  /** Marks under the curves. */
  #under(u) {
    const { ctx, bbox } = u;
    const [px, py] = places(u);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = devicePixelRatio;
    ctx.strokeStyle = css('--reference');
    ctx.fillStyle = css('--shade');
    for (const mark of this.marks) {
      ctx.beginPath();
      if (mark.kind === 'band') ctx.fillRect(px(mark.from), bbox.top, px(mark.to) - px(mark.from), bbox.height);
      if (mark.kind === 'region') {
        for (let i = 0; i < mark.x.length; i += 1) ctx.lineTo(px(mark.x[i]), py(mark.y[i]));
        ctx.fill();
      }
      if (mark.kind === 'horizontal') {
        ctx.moveTo(bbox.left, py(mark.at));
        ctx.lineTo(bbox.left + bbox.width, py(mark.at));
      }
      if (mark.kind === 'vertical') {
        ctx.moveTo(px(mark.at), bbox.top);
        ctx.lineTo(px(mark.at), bbox.top + bbox.height);
      }
      if (mark.kind === 'point') ctx.arc(px(mark.x), py(mark.y), 5 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.stroke();
    }
    // What happened: a tick at the upper edge, which a dense row of events turns into a bar and not into a solid panel.
    ctx.strokeStyle = css('--event');
    ctx.beginPath();
    for (const event of this.overTime ? this.events : []) {
      const at = Math.round(px(event.t)) + 0.5;
      ctx.moveTo(at, bbox.top);
      ctx.lineTo(at, bbox.top + 9 * devicePixelRatio);
    }
    ctx.stroke();
    ctx.restore();
  }

  /** Labels of marks, over the curves. */
  #over(u) {
    const { ctx, bbox } = u;
    const [px, py] = places(u);
    ctx.save();
    ctx.fillStyle = css('--ink');
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    for (const mark of this.marks.filter((m) => m.label)) {
      const text = mark.label.replace(/_\{([^}]*)\}/g, '$1');
      ctx.textAlign = mark.kind === 'horizontal' ? 'right' : 'left';
      const x = mark.kind === 'horizontal' ? bbox.left + bbox.width - 4 : px(mark.kind === 'vertical' ? mark.at : mark.x) + 6;
      const y = mark.kind === 'vertical' ? bbox.top + 14 * devicePixelRatio : py(mark.kind === 'horizontal' ? mark.at : mark.y) - 5;
      ctx.fillText(text, x, y);
    }
    ctx.restore();
  }

  #size() {
    const width = Math.max(160, Math.floor(this.box.clientWidth || this.root.clientWidth || 320));
    if (!this.equal) return [width, this.height];
    const [[x0, x1], [y0, y1]] = this.ranges;
    return [width, Math.round(Math.min(420, Math.max(140, (width - 62) * ((y1 - y0) / (x1 - x0)) + 32)))];
  }

  #draw() {
    const [width, height] = this.#size();
    const shape = JSON.stringify([this.curves.map((c) => [c.rank, c.look, Boolean(c.area), c.colour]), this.axes.map((a) => a.log), isDark()]);
    const data = [null, ...this.curves.map((c) => [c.x, c.y])];
    if (!this.uplot || shape !== this.shape) {
      this.shape = shape;
      this.uplot?.destroy();
      // uPlot needs a curve in this mode; without one there are axes alone.
      const options = this.#options(width, height);
      if (this.curves.length === 0) options.series.push({ auto: false, paths: () => null, points: { show: false } });
      this.uplot = new uPlot(options, this.curves.length ? data : [null, [[], []]], this.box);
      this.#overlay();
    } else {
      this.uplot.setData(data);
      this.uplot.redraw(true, true);
      if (this.uplot.width !== width || this.uplot.height !== height) this.uplot.setSize({ width, height });
    }
  }

  #resize() {
    if (!this.uplot) return;
    const [width, height] = this.#size();
    if (this.uplot.width !== width || this.uplot.height !== height) {
      this.uplot.setSize({ width, height });
      this.point(this.cursor?.t ?? null);
    }
  }

  /** What lies over the curves: the cursor, and the stretch that is being chosen. */
  #overlay() {
    const over = this.uplot.over;
    this.line = element('div', { class: 'cursor-line', '.hidden': true });
    this.stretch = element('div', { class: 'stretch', '.hidden': true });
    this.dots = this.curves.map((c) => {
      const dot = element('div', { class: 'cursor-dot', '.hidden': true });
      dot.style.background = c.area ?? c.colour ?? colour(c.rank);
      return dot;
    });
    over.append(this.line, this.stretch, ...this.dots);
    const timeAt = (event) => this.uplot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x');
    let from = null;
    over.addEventListener('pointermove', (event) => {
      if (!this.cursor) return;
      if (from !== null) {
        const now = event.clientX - over.getBoundingClientRect().left;
        this.stretch.hidden = false;
        this.stretch.style.left = `${Math.min(from, now)}px`;
        this.stretch.style.width = `${Math.abs(now - from)}px`;
      }
      this.cursor.move(this.overTime ? timeAt(event) : this.#nearestTime(event, over));
    });
    over.addEventListener('pointerleave', () => from === null && this.cursor?.move(null));
    if (!this.overTime || !this.zoomed) return;
    over.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      from = event.clientX - over.getBoundingClientRect().left;
      over.setPointerCapture(event.pointerId);
    });
    over.addEventListener('pointerup', (event) => {
      if (from === null) return;
      const to = event.clientX - over.getBoundingClientRect().left;
      this.stretch.hidden = true;
      const stretch = [Math.min(from, to), Math.max(from, to)].map((p) => this.uplot.posToVal(p, 'x'));
      if (Math.abs(to - from) > 8) this.zoomed(stretch);
      from = null;
    });
    over.addEventListener('dblclick', () => this.zoomed(null));
  }

  /** The time of the point of a curve that is nearest to the pointer. */
  #nearestTime(event, over) {
    const box = over.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [best, time] = [Infinity, null];
    for (const curve of this.curves.filter((c) => c.t)) {
      for (let i = 0; i < curve.x.length; i += 1) {
        const d = (this.uplot.valToPos(curve.x[i], 'x') - x) ** 2 + (this.uplot.valToPos(curve.y[i], 'y') - y) ** 2;
        if (d < best) [best, time] = [d, curve.t[i]];
      }
    }
    return best < 60 ** 2 ? time : null;
  }

  /** Shows the cursor at a time, in every panel where that is. */
  point(t) {
    if (!this.uplot || !this.line) return;
    const shown = t !== null && this.curves.some((c) => c.t?.length);
    this.line.hidden = !(shown && this.overTime);
    if (!this.line.hidden) this.line.style.transform = `translateX(${this.uplot.valToPos(t, 'x')}px)`;
    this.now = this.curves.map((curve, k) => {
      const dot = this.dots[k];
      const known = shown && curve.t?.length > 0;
      const [i, part] = known ? within(curve.t, t) : [0, 0];
      // On the line between two points; no point that was left out lies farther from it than a pixel.
      const at = (column) => (part === 0 ? column[i] : column[i] + part * (column[i + 1] - column[i]));
      dot.hidden = !known || Boolean(curve.area) || !Number.isFinite(at(curve.y));
      if (!dot.hidden) {
        dot.style.transform = `translate(${this.uplot.valToPos(at(curve.x), 'x')}px, ${this.uplot.valToPos(at(curve.y), 'y')}px)`;
      }
      return known ? at(curve.own ?? curve.y) : null;
    });
    for (const { value, index } of this.keys) {
      const now = this.now[index];
      value.textContent = now === null || now === undefined ? '' : ` ${number(now, 4)}`;
    }
  }

  #key(event) {
    if (!this.cursor || !['ArrowLeft', 'ArrowRight', 'Home', 'End', 'Escape'].includes(event.key)) return;
    const span = this.cursor.span();
    if (!span) return;
    event.preventDefault();
    if (event.key === 'Escape') {
      this.cursor.move(null);
      this.zoomed?.(null);
      return;
    }
    const step = (span[1] - span[0]) / (event.shiftKey ? 20 : 200);
    const now = this.cursor.t ?? span[0];
    const to = { ArrowLeft: now - step, ArrowRight: now + step, Home: span[0], End: span[1] }[event.key];
    const t = Math.min(span[1], Math.max(span[0], to));
    this.cursor.move(t);
    const values = this.curves.map((c, k) => (this.now[k] === null ? '' : `${spoken(c.name) || spoken(this.axes[1].label)} ${number(this.now[k], 4)} ${this.axes[1].unit}`));
    this.readout.textContent = `t = ${number(t, 4)} s: ${values.filter(Boolean).join(', ')}`;
  }
}

/** Areas over each other; a line stays what it is. */
function stacked(curves) {
  let base = null;
  let rank = 0;
  return curves.map((curve) => {
    if (curve.look === 'dashed') return { ...curve, rank: 6, colour: css('--ink') };
    const below = base ?? new Float64Array(curve.y.length);
    const top = curve.y.map((y, i) => y + below[i]);
    base = top;
    rank += 1;
    return { ...curve, own: curve.y, y: top, base: below, area: AREAS[(rank - 1) % AREAS.length], rank };
  });
}

function sample(curve) {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  svg.setAttribute('width', 26);
  svg.setAttribute('height', 10);
  svg.setAttribute('aria-hidden', 'true');
  const points = curve.look === 'points' || curve.look === 'dots';
  const shape = document.createElementNS(namespace, points ? 'circle' : curve.area ? 'rect' : 'line');
  const set = (pairs) => Object.entries(pairs).forEach(([k, v]) => shape.setAttribute(k, v));
  const own = curve.area ?? curve.colour ?? colour(curve.rank);
  if (points) set({ cx: 13, cy: 5, r: 3, fill: own });
  else if (curve.area) set({ x: 4, y: 0, width: 18, height: 10, fill: own });
  else set({ x1: 1, y1: 5, x2: 25, y2: 5, stroke: own, 'stroke-width': 2, 'stroke-dasharray': dashes(curve.look, curve.rank).map((d) => d * 0.8).join(' ') });
  svg.append(shape);
  return svg;
}

/** Where values lie on the canvas. */
function places(u) {
  return [(x) => u.valToPos(x, 'x', true), (y) => u.valToPos(y, 'y', true)];
}

function isRising(column) {
  for (let i = 1; i < column.length; i += 1) if (column[i] < column[i - 1]) return false;
  return true;
}

const isDecade = (v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9;

const tick = (v) => String(Number(v.toPrecision(6))).replace('-', '−');
