// A quantity over a plane on a canvas, with arrows and lines over it.
import { element, label, number, spoken } from './text.js';
import { colour, power, unitOf } from './plot.js';

// Viridis (van der Walt and Smith, 2015; public domain) in ten steps.
const SHADES = ['440154', '482878', '3e4a89', '31688e', '26828e', '1f9e89', '35b779', '6dcd59', 'b4de2c', 'fde725']
  .map((hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)));

/** The colour of a value, 0 for the lowest and 1 for the highest. */
function shade(part) {
  const along = Math.min(1, Math.max(0, part)) * (SHADES.length - 1);
  const k = Math.min(SHADES.length - 2, Math.floor(along));
  const mixed = SHADES[k].map((c, i) => Math.round(c + (along - k) * (SHADES[k + 1][i] - c)));
  return `rgb(${mixed.join(',')})`;
}

function ends(column) {
  let [low, high] = [Infinity, -Infinity];
  for (const x of column) {
    if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Round numbers within a range. */
function ticks([low, high], count) {
  const rough = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * unit).find((s) => s >= rough);
  const all = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) all.push(k * step);
  return all;
}

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const MARGIN = { left: 58, right: 92, top: 8, bottom: 26 };

export class Field {
  constructor({ height = 260 } = {}) {
    this.height = height;
    this.title = element('h3', { class: 'panel-title' });
    this.top = element('div', { class: 'axis-y' });
    this.foot = element('div', { class: 'axis-x' });
    this.canvas = element('canvas', { role: 'img', 'aria-label': 'a field, not computed yet' });
    this.said = element('div', { class: 'field-value', 'aria-hidden': 'true' });
    this.box = element('div', { class: 'plot' }, this.canvas);
    this.root = element('figure', { class: 'panel' }, this.title, element('div', { class: 'panel-head' }, this.top, this.said), this.box, this.foot);
    this.observer = new ResizeObserver(() => this.content && this.#draw());
    this.observer.observe(this.box);
    this.canvas.addEventListener('pointermove', (event) => this.#point(event));
    this.canvas.addEventListener('pointerleave', () => { this.said.textContent = ''; });
  }

  remove() {
    this.observer.disconnect();
    this.root.remove();
  }

  /** `scale`: the least and greatest value of the colours, where several fields share them. */
  show(panel, answer, scale = null) {
    const column = (place) => answer.column(place);
    const { surface, arrows } = panel;
    this.content = {
      panel,
      surface: surface && { ...surface, x: column(surface.x), y: column(surface.y), z: column(surface.z) },
      arrows: arrows && { ...arrows, x: column(arrows.x), y: column(arrows.y), u: column(arrows.u), v: column(arrows.v) },
      series: panel.series.map((s, k) => ({ ...s, rank: s.rank ?? k, x: column(s.x), y: column(s.y) })),
      scale,
    };
    this.title.replaceChildren(...label(panel.title));
    this.title.hidden = !panel.title;
    const unit = (axis) => (axis.unit ? element('span', { class: 'unit' }, ` [${axis.unit}]`) : '');
    this.top.replaceChildren(...label(panel.y.label), unit(panel.y));
    this.foot.replaceChildren(...label(panel.x.label), unit(panel.x));
    const [low, high] = surface ? ends(this.content.surface.z) : [NaN, NaN];
    const what = surface ? `${spoken(surface.value.label)} from ${number(low, 3)} to ${number(high, 3)} ${surface.value.unit}, ` : '';
    this.canvas.setAttribute('aria-label', `${what}over ${spoken(panel.x.label)} and ${spoken(panel.y.label)}`);
    this.#draw();
  }

  repaint() {
    if (this.content) this.#draw();
  }

  #draw() {
    const { panel, surface, arrows, series, scale } = this.content;
    const width = Math.max(200, this.box.clientWidth || 320);
    const all = [surface, arrows, ...series].filter(Boolean);
    const spans = ['x', 'y'].map((k) => {
      const found = all.map((part) => ends(part[k]));
      return [Math.min(...found.map((f) => f[0])), Math.max(...found.map((f) => f[1]))];
    });
    const frame = { left: MARGIN.left, top: MARGIN.top, width: width - MARGIN.left - MARGIN.right };
    frame.height = this.height - MARGIN.top - MARGIN.bottom;
    if (panel.equal) {
      const natural = frame.width * ((spans[1][1] - spans[1][0]) / (spans[0][1] - spans[0][0]));
      frame.height = Math.min(360, Math.max(120, natural));
      if (natural > frame.height) frame.width = Math.max(120, frame.width * (frame.height / natural));
    }
    const height = frame.height + MARGIN.top + MARGIN.bottom;
    const ratio = devicePixelRatio;
    Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const unit = panel.equal
      ? Array(2).fill(Math.max((spans[0][1] - spans[0][0]) / frame.width, (spans[1][1] - spans[1][0]) / frame.height))
      : [(spans[0][1] - spans[0][0]) / frame.width, (spans[1][1] - spans[1][0]) / frame.height];
    const middle = spans.map(([low, high]) => 0.5 * (low + high));
    const px = (x) => frame.left + 0.5 * frame.width + (x - middle[0]) / unit[0];
    const py = (y) => frame.top + 0.5 * frame.height - (y - middle[1]) / unit[1];
    this.map = { px, py };
    const ctx = this.canvas.getContext('2d');
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    ctx.font = '12px system-ui, sans-serif';
    const shown = (k) => [middle[k] - 0.5 * unit[k] * [frame.width, frame.height][k], middle[k] + 0.5 * unit[k] * [frame.width, frame.height][k]];
    if (surface) this.#surface(ctx, surface, scale, frame);
    ctx.strokeStyle = css('--axis');
    ctx.fillStyle = css('--ink');
    ctx.lineWidth = 1;
    ctx.strokeRect(frame.left + 0.5, frame.top + 0.5, frame.width, frame.height);
    ctx.textAlign = 'center';
    for (const x of ticks(shown(0), 6)) ctx.fillText(number(x, 4), px(x), frame.top + frame.height + 16);
    ctx.textAlign = 'right';
    for (const y of ticks(shown(1), 6)) ctx.fillText(number(y, 4), frame.left - 5, py(y) + 4);
    for (const line of series) this.#line(ctx, line);
    if (arrows) this.#arrows(ctx, arrows);
  }

  #surface(ctx, { columns, x, y, z, value }, scale, frame) {
    const { px, py } = this.map;
    const [low, high] = scale ?? value.limits ?? ends(z);
    const part = (v) => (high > low ? (v - low) / (high - low) : 0.5);
    const rows = Math.floor(z.length / columns);
    // Cells are divided so that their steps do not show, and overlap a little, so that no seam is left between them.
    const parts = z.length < 1200 ? 3 : z.length < 5000 ? 2 : 1;
    const more = 1.12 / parts;
    for (let j = 0; j + 1 < rows; j += 1) {
      for (let i = 0; i + 1 < columns; i += 1) {
        const corners = [j * columns + i, j * columns + i + 1, (j + 1) * columns + i + 1, (j + 1) * columns + i];
        if (!corners.every((k) => Number.isFinite(z[k]))) continue;
        const within = (of, u, v) => (1 - u) * (1 - v) * of(corners[0]) + u * (1 - v) * of(corners[1]) + u * v * of(corners[2]) + (1 - u) * v * of(corners[3]);
        for (let q = 0; q < parts * parts; q += 1) {
          const [u, v] = [(q % parts) / parts, Math.floor(q / parts) / parts];
          ctx.beginPath();
          for (const [a, b] of [[0, 0], [more, 0], [more, more], [0, more]]) {
            const [p, r] = [Math.min(1.1, u + a), Math.min(1.1, v + b)];
            ctx.lineTo(within((k) => px(x[k]), p, r), within((k) => py(y[k]), p, r));
          }
          ctx.fillStyle = shade(part(within((k) => z[k], u + 0.5 / parts, v + 0.5 / parts)));
          ctx.fill();
        }
      }
    }
    // What the colours mean.
    const left = frame.left + frame.width + 14;
    for (let k = 0; k < 100; k += 1) {
      ctx.fillStyle = shade((k + 0.5) / 100);
      ctx.fillRect(left, frame.top + frame.height * (1 - (k + 1) / 100), 12, frame.height / 100 + 0.6);
    }
    ctx.fillStyle = css('--ink');
    ctx.textAlign = 'left';
    const exponent = power([low, high], false);
    for (const v of ticks([low, high], 5)) ctx.fillText(number(v / 10 ** exponent, 3), left + 17, frame.top + frame.height * (1 - part(v)) + 4);
    const text = `${value.label.replace(/_\{([^}]*)\}/g, '$1')}${unitOf(value, exponent)}`;
    ctx.save();
    ctx.translate(frame.left + frame.width + MARGIN.right - 8, frame.top + 0.5 * frame.height);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = 'center';
    ctx.fillText(text, 0, 0);
    ctx.restore();
  }

  #line(ctx, { x, y, look, rank }) {
    const { px, py } = this.map;
    ctx.strokeStyle = colour(rank);
    ctx.fillStyle = colour(rank);
    ctx.lineWidth = 1.2;
    ctx.beginPath();
    let pen = false;
    for (let i = 0; i < x.length; i += 1) {
      const known = Number.isFinite(x[i]) && Number.isFinite(y[i]);
      if (look === 'points' || look === 'dots') {
        if (known) ctx.fillRect(px(x[i]) - 1.5, py(y[i]) - 1.5, 3, 3);
      } else if (!known) pen = false;
      else if (pen) ctx.lineTo(px(x[i]), py(y[i]));
      else {
        ctx.moveTo(px(x[i]), py(y[i]));
        pen = true;
      }
    }
    ctx.stroke();
  }

  #arrows(ctx, { x, y, u, v }) {
    const { px, py } = this.map;
    const longest = Math.max(...u.map((a, i) => Math.hypot(a, v[i])).filter(Number.isFinite), 0);
    if (longest === 0) return;
    ctx.strokeStyle = 'white';
    for (const [width, style] of [[3, 'rgba(0,0,0,0.55)'], [1.3, 'white']]) {
      ctx.lineWidth = width;
      ctx.strokeStyle = style;
      ctx.beginPath();
      for (let i = 0; i < x.length; i += 1) {
        const [dx, dy] = [(22 * u[i]) / longest, (-22 * v[i]) / longest];
        const size = Math.hypot(dx, dy);
        if (!(size > 1)) continue;
        const [a, b] = [px(x[i]) + 0.5 * dx, py(y[i]) + 0.5 * dy];
        ctx.moveTo(a - dx, b - dy);
        ctx.lineTo(a, b);
        const [ex, ey] = [dx / size, dy / size];
        ctx.moveTo(a - 4 * ex + 2.5 * ey, b - 4 * ey - 2.5 * ex);
        ctx.lineTo(a, b);
        ctx.lineTo(a - 4 * ex - 2.5 * ey, b - 4 * ey + 2.5 * ex);
      }
      ctx.stroke();
    }
  }

  /** Says the value under the pointer. */
  #point(event) {
    const { surface, panel } = this.content;
    if (!surface) return;
    const box = this.canvas.getBoundingClientRect();
    const [a, b] = [event.clientX - box.left, event.clientY - box.top];
    let [best, at] = [Infinity, -1];
    for (let k = 0; k < surface.z.length; k += 1) {
      const d = (this.map.px(surface.x[k]) - a) ** 2 + (this.map.py(surface.y[k]) - b) ** 2;
      if (d < best && Number.isFinite(surface.z[k])) [best, at] = [d, k];
    }
    this.said.textContent = best > 40 ** 2 ? '' : `${number(surface.z[at], 4)} ${surface.value.unit} at (${number(surface.x[at], 3)}, ${number(surface.y[at], 3)}) ${panel.x.unit}`;
  }
}
