// What the report holds, and the small things that every part of the page uses.
const data = JSON.parse(document.getElementById('data').textContent);
const strings = data.strings;
const severities = ['low', 'medium', 'high', 'critical'];

/** The words of the report's language; English where there is no other. */
function t(english, ...values) {
  let text = Object.hasOwn(data.words, english) ? data.words[english] : english;
  let next = 0;
  return text.replace(/\{(\d*)\}/g, (hole, number) => {
    const index = number ? Number(number) - 1 : next++;
    return index < values.length ? String(values[index]) : hole;
  });
}

/** Text from outside without what turns a line around or cannot be seen. */
function shown(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g, '\ufffd');
}

/** An element with text; never markup, so that nothing from a scanned file can become a part of the page. */
function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'on') {
      for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    } else if (key === 'class') {
      made.className = value;
    } else {
      made.setAttribute(key, value === true ? '' : value);
    }
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    made.append(child instanceof Node ? child : shown(child));
  }
  return made;
}

function byId(id) { return document.getElementById(id); }

function size(bytes) {
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  if (bytes < 1024) return t('{} bytes', bytes);
  let value = bytes;
  let unit = -1;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit += 1; }
  return value.toFixed(1) + ' ' + units[unit];
}

/** A path as a shell takes it. */
function quoted(path) {
  return /^[A-Za-z0-9_.\/+:@%-]+$/.test(path) && !path.startsWith('-')
    ? path : "'" + path.replaceAll("'", "'\\''") + "'";
}

/** One finding, from its row: fields are named once here. */
function finding(row, index) {
  return {
    index, fingerprint: row[0], rule: strings[row[1]], severity: row[2], path: strings[row[3]],
    inner: row[4], ranges: row[5], line: row[6], liveness: strings[row[7]], context: row[8] || {},
    needle: row[9] || '', form: row[10] || '', sample: row[11], controls: strings[row[12]],
    suppressed: row[13] || null, also: row[14] || [], excerpt: row[15] || null, title: strings[row[16]],
    message: row[17] || '', remedy: strings[row[18]], accepted: null,
  };
}

const findings = data.findings.map(finding);
data.findings = null;

function titleOf(found) {
  return found.needle ? t('"{}" in clear, as {}', found.needle, found.form) : found.title;
}

/** The place in the words of its format. */
function placeOf(found) {
  const context = found.context;
  const words = [];
  if (found.liveness !== 'live') words.push(t(found.liveness));
  if (found.line) words.push(t('line {}', found.line));
  if (context.table) words.push(t('table {}', context.table + (context.column ? '.' + context.column : '')));
  if (context.key) words.push(t('key {}', context.key));
  if (context.rowid !== undefined) words.push(t('row {}', context.rowid));
  if (context.page) words.push(t('page {}', context.page));
  if (context.role) words.push(context.role);
  if (context.frame) words.push(t('frame {}', context.frame));
  if (context.member) words.push(context.member);
  if (context.section) words.push(context.section);
  if (context.symbol) words.push(context.symbol);
  if (found.ranges.length) words.push(t('byte {}', found.ranges[0] + '+' + found.ranges[1]));
  return words;
}
