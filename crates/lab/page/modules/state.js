// What is shown, as it stands in the address: a link reproduces it, and the history of the browser is the undo.

/** Nothing chosen yet. */
export const nothing = () => ({ view: 'run', file: '', text: null, set: [], vary: null, task: '', models: [], load: null, window: null });

/** The part of the address behind `#`. */
export function written(state) {
  const words = new URLSearchParams();
  words.append('view', state.view);
  if (state.file) words.append('file', state.file);
  if (state.task) words.append('task', state.task);
  for (const name of state.models) words.append('model', name);
  if (state.load !== null) words.append('load', state.load);
  for (const [key, value] of state.set) words.append('set', `${key}=${value}`);
  if (state.vary) words.append('vary', `${state.vary[0]}=${state.vary[1].join(',')}`);
  if (state.window) words.append('window', state.window.join(','));
  if (state.text !== null) words.append('text', state.text);
  return `#${words}`;
}

const pair = (text) => {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
};

/** `a,b,[1,2]` at its outer commas. */
export function listed(text) {
  const parts = [''];
  let depth = 0;
  for (const c of text) {
    if ('[{'.includes(c)) depth += 1;
    if (']}'.includes(c)) depth -= 1;
    if (c === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += c;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

export function read(hash, views) {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const state = nothing();
  if (views.includes(words.get('view'))) state.view = words.get('view');
  state.file = words.get('file') ?? '';
  state.task = words.get('task') ?? '';
  state.models = words.getAll('model');
  const load = Number(words.get('load'));
  state.load = words.has('load') && Number.isFinite(load) ? load : null;
  state.set = words.getAll('set').map(pair);
  if (words.has('vary')) {
    const [key, values] = pair(words.get('vary'));
    state.vary = [key, listed(values)];
  }
  const window = (words.get('window') ?? '').split(',').map(Number);
  state.window = window.length === 2 && window.every(Number.isFinite) && window[0] < window[1] ? window : null;
  state.text = words.get('text');
  return state;
}

/** The settings with one more, or one less where the value is null. */
export function put(set, key, value) {
  const others = set.filter(([own]) => own !== key);
  return value === null ? others : [...others, [key, String(value)]];
}
