// Numbers, names and labels as people read them.

/** So many digits, without zeros at the end and with an exponent where it would be long. */
export function number(x, digits = 5) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text = size >= 1e-3 && size < 1e6
    ? String(Number(x.toPrecision(digits)))
    : x.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
  return text.replace(/^-/, '−').replace('e-', 'e−');
}

/** A number as it is typed and stored. */
export function typed(x, digits = 4) {
  const short = Number(x.toPrecision(digits));
  const size = Math.abs(short);
  return short !== 0 && (size < 1e-3 || size >= 1e6) ? short.toExponential().replace('e+', 'e') : String(short);
}

/** `F_{rail}` as nodes: F with rail below the line. */
export function label(text) {
  const nodes = [];
  for (const [, plain, below] of text.matchAll(/([^_{}]+|_(?!\{))|_\{([^}]*)\}/g)) {
    if (below === undefined) nodes.push(document.createTextNode(plain));
    else nodes.push(element('sub', {}, below));
  }
  return nodes;
}

/** The same for those who listen. */
export const spoken = (text) => text.replace(/_\{([^}]*)\}/g, ' $1');

/** An element with attributes, properties that begin with a point, listeners that begin with `on`, and what is in it. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key.startsWith('.')) made[key.slice(1)] = value;
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return made;
}
