// The page: views, what is shown of them, the address, files that are dropped.
import { AuditView } from './audit.js';
import { CompareView } from './compare.js';
import { FitView } from './fit.js';
import { PapersView } from './papers.js';
import { PatchView } from './patch.js';
import { RunView } from './run.js';
import { catalogue, exported, kind } from './server.js';
import { nothing, read, written } from './state.js';
import { element } from './text.js';

const $ = (id) => document.getElementById(id);

class App {
  constructor(choices) {
    this.choices = choices;
    this.given = {};
    this.views = [RunView, CompareView, AuditView, PatchView, FitView, PapersView].map((View) => new View(this));
    this.names = this.views.map((view) => view.name);
    this.kept = new Map();
    this.state = nothing();
    this.#build();
    addEventListener('popstate', () => this.#restore());
    this.#restore();
  }

  get view() {
    return this.views.find((view) => view.name === this.state.view);
  }

  /** The view that a kind of file belongs to. */
  viewOf(kind) {
    return this.views.find((view) => view.kinds.includes(kind))?.name ?? this.state.view;
  }

  #build() {
    this.sections = this.views.map((view) => {
      const files = this.choices.files.filter((file) => view.kinds.includes(file.kind));
      view.file = element('select', { 'aria-label': 'File', onchange: () => this.open(view.file.value) });
      const picker = element('input', { type: 'file', multiple: true, class: 'sr', 'aria-label': 'Open files', onchange: () => this.take([...picker.files]) });
      view.files = files;
      view.picker = element('div', { class: 'file' }, ...(view.kinds.length ? [element('label', { class: 'stack' }, 'File', view.file), element('button', { type: 'button', onclick: () => picker.click() }, 'Open…')] : []), element('button', { type: 'button', class: 'reset-all', onclick: () => this.change({ set: [], vary: null, window: null, load: null }) }, 'Reset'), picker);
      const side = element('aside', { 'aria-label': `Parameters of ${view.title}` }, element('details', { class: 'side', '.open': innerWidth > 800 }, element('summary', {}, 'Parameters'), view.picker, view.side));
      const main = element('div', { class: 'main' }, view.main);
      return element('section', { id: `view-${view.name}`, 'aria-label': view.title, '.hidden': true }, side, main);
    });
    $('content').replaceChildren(...this.sections);
    $('views').replaceChildren(...this.views.map((view) => element('a', {
      href: `#view=${view.name}`, 'data-view': view.name,
      onclick: (event) => {
        event.preventDefault();
        this.go(view.name);
      },
    }, view.title)));
    $('undo').onclick = () => history.back();
    $('redo').onclick = () => history.forward();
    $('link').onclick = () => this.#copy();
    $('export').onchange = () => this.#export($('export').value);
    $('theme').value = localStorage.getItem('theme') ?? 'auto';
    $('theme').onchange = () => {
      localStorage.setItem('theme', $('theme').value);
      this.#theme();
    };
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#theme());
    addEventListener('keydown', (event) => {
      const typing = event.target.matches?.('input[type=text], input[type=search], textarea');
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z' || typing) return;
      event.preventDefault();
      if (event.shiftKey) history.forward();
      else history.back();
    });
    this.#drops();
    this.#theme();
  }

  #theme() {
    document.documentElement.dataset.theme = $('theme').value;
    this.views.forEach((view) => view.repaint());
  }

  /** What the address says. */
  #restore() {
    const state = read(location.hash, this.names);
    this.state = { ...state };
    if (!state.file && state.text === null && !location.hash.includes('file=')) Object.assign(this.state, this.#begin(state));
    this.#refresh();
  }

  #begin(state) {
    const start = this.views.find((view) => view.name === state.view).start;
    return Object.fromEntries(Object.entries(start).filter(([key]) => !state[key] || state[key].length === 0));
  }

  /** Another view, as it was left. */
  go(name) {
    this.kept.set(this.state.view, this.state);
    const fresh = { ...nothing(), view: name };
    this.state = this.kept.get(name) ?? { ...fresh, ...this.#begin(fresh) };
    this.#push();
    this.#refresh();
  }

  /** Another file. */
  open(file) {
    const { view } = this.state;
    this.state = { ...nothing(), view, file, task: this.view.taskOf?.(file) ?? this.state.task, text: this.given[file]?.text ?? null };
    this.#push();
    this.#refresh();
  }

  /** Something else altogether. */
  show(what) {
    this.kept.set(this.state.view, this.state);
    this.state = { ...nothing(), ...what };
    this.#push();
    this.#refresh();
  }

  /** Something else is chosen. `live`: a slider is still held, and nothing is to be undone yet. */
  change(what, live = false) {
    this.state = { ...this.state, ...what };
    if (!live) this.#push();
    this.#refresh(live);
  }

  #push() {
    const hash = written(this.state);
    if (hash !== location.hash) history.pushState(null, '', hash);
  }

  #refresh(live = false) {
    const { state, view } = this;
    this.sections.forEach((section) => { section.hidden = section.id !== `view-${state.view}`; });
    for (const link of $('views').children) {
      if (link.dataset.view === state.view) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    if (!live) this.#files(view, state);
    document.title = `${view.title} · Bristle lab`;
    this.since = performance.now();
    view.line.ask(this.asked(), (answer) => {
      if (this.view !== view) return;
      this.#failed(null);
      view.show(answer, this.state);
      this.redrawn?.(performance.now() - this.since);
      this.#busy();
    }, (error) => {
      if (this.view !== view) return;
      this.#failed(error);
      this.#busy();
    });
    this.#busy();
  }

  /** What is asked of the server. */
  asked() {
    const { state, view } = this;
    const pixels = Math.round(Math.min(2000, Math.max(300, view.main.clientWidth)) * devicePixelRatio);
    const given = state.text === null ? {} : this.logs;
    return { file: state.file, text: state.text, given, set: state.set, task: state.task, models: state.models, load: state.load, pixels, ...view.ask(state) };
  }

  /** Tables and logs that were dropped. */
  get logs() {
    return Object.fromEntries(Object.entries(this.given).filter(([, file]) => !file.kind).map(([name, file]) => [name, file.text]));
  }

  #files(view, state) {
    const own = Object.values(this.given).filter((file) => file.kind && view.kinds.includes(file.kind));
    const option = (file) => element('option', { value: file.name, title: file.title }, file.name.replace(/^.*\//, '').replace(/\.toml$/, ''));
    const groups = [['Yours', own], ['Shipped', view.files]].filter(([, files]) => files.length);
    const unknown = state.file && ![...own, ...view.files].some((file) => file.name === state.file);
    view.file.replaceChildren(...(view.nothing ? [element('option', { value: '' }, view.nothing)] : []), ...(unknown ? [option({ name: state.file, title: '' })] : []), ...groups.map(([title, files]) => element('optgroup', { label: title }, files.map(option))));
    view.file.value = state.file;
  }

  #busy() {
    clearTimeout(this.timer);
    document.body.classList.toggle('busy', this.view.line.busy);
    if (!this.view.line.busy) {
      this.say('');
      return;
    }
    this.timer = setTimeout(() => this.view.line.busy && this.say('computing…'), 400);
  }

  say(text) {
    $('status').textContent = text;
  }

  /** Shows what went wrong, in the words of the command line; nothing, if nothing did. */
  #failed(error) {
    $('error').hidden = !error;
    this.view.main.classList.toggle('stale', Boolean(error));
    $('error').textContent = error ? error.message : '';
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(location.origin + location.pathname + written(this.state));
      this.say('link copied');
    } catch {
      this.say('the link stands in the address line');
    }
  }

  async #export(format) {
    $('export').value = '';
    if (!format) return;
    try {
      const { name, blob } = await exported(this.state.view, format, this.asked());
      const url = URL.createObjectURL(blob);
      element('a', { href: url, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
      this.say(`${name} written`);
    } catch (error) {
      this.#failed(error);
    }
  }

  #drops() {
    const shown = (is) => { $('drop').hidden = !is; };
    addEventListener('dragover', (event) => {
      if (![...event.dataTransfer.types].includes('Files')) return;
      event.preventDefault();
      shown(true);
    });
    addEventListener('dragleave', (event) => event.relatedTarget === null && shown(false));
    addEventListener('drop', (event) => {
      event.preventDefault();
      shown(false);
      this.take([...event.dataTransfer.files]);
    });
  }

  /** Takes files in: logs and tables are kept for the files that name them, and the first other one is opened. */
  async take(files) {
    const texts = await Promise.all(files.map(async (file) => [file.name, await file.text()]));
    let opened = null;
    try {
      for (const [name, text] of texts) {
        const isTable = !name.endsWith('.toml');
        this.given[name] = isTable ? { name, text } : { ...(await kind({ file: name, text })), text };
        opened ??= isTable ? null : this.given[name];
      }
    } catch (error) {
      this.#failed(error);
      return;
    }
    if (!opened) {
      this.change({});
      this.say(`${texts.map(([name]) => name).join(', ')} kept: now drop the file that names ${texts.length > 1 ? 'them' : 'it'}`);
      return;
    }
    this.kept.set(this.state.view, this.state);
    this.state = { ...nothing(), view: this.viewOf(opened.kind) };
    this.open(opened.name);
  }
}

try {
  window.lab = new App(await catalogue());
} catch (error) {
  $('error').hidden = false;
  $('error').textContent = error.message;
}
