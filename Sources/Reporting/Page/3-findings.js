// The findings: filter, search, groups.
const filters = {
  text: '', severity: new Set(), rule: '', liveness: '', state: 'open', group: 'file', control: '',
};
let list = null;
let current = null;

/** What a search looks at, made once. */
function haystack(found) {
  if (found.haystack === undefined) {
    const context = found.context;
    found.haystack = (found.path + found.inner + '\u0001' + found.rule + '\u0001' + found.title + '\u0001' + found.needle
      + '\u0001' + found.form + '\u0001' + found.message + '\u0001' + found.sample + '\u0001' + found.fingerprint
      + '\u0001' + found.controls + '\u0001' + (context.table || '') + '.' + (context.column || '') + '\u0001'
      + (context.key || '') + '\u0001' + (context.symbol || '') + '\u0001' + found.liveness).toLowerCase();
  }
  return found.haystack;
}

/** Makes them while nothing else is to be done, so that the first search does not wait for it. */
function prepareSearch(from = 0) {
  const idle = window.requestIdleCallback || ((work) => setTimeout(() => work({timeRemaining: () => 8}), 1));
  idle((deadline) => {
    let index = from;
    while (index < findings.length && (index - from < 200 || index % 100 || deadline.timeRemaining() > 2)) {
      haystack(findings[index]);
      index += 1;
    }
    if (index < findings.length) prepareSearch(index);
    else document.documentElement.dataset.searchable = 'yes';
  });
}

function isAccepted(found) { return found.suppressed !== null || found.accepted !== null; }

function matches(found, words) {
  if (filters.severity.size && !filters.severity.has(found.severity)) return false;
  if (filters.state === 'open' && isAccepted(found)) return false;
  if (filters.state === 'accepted' && !isAccepted(found)) return false;
  if (filters.rule && found.rule !== filters.rule) return false;
  if (filters.liveness && found.liveness !== filters.liveness) return false;
  if (filters.control && !speaksTo(found, filters.control)) return false;
  return words.every((word) => haystack(found).includes(word));
}

const groupings = {
  file: (found) => found.path,
  rule: (found) => found.rule,
  severity: (found) => severities[found.severity],
  needle: (found) => found.needle || t('no needle'),
  none: () => '',
};

/** Rows of the list: groups with their findings, the gravest first. */
function grouped(kept) {
  if (filters.group === 'none') return kept;
  const key = groupings[filters.group];
  const groups = new Map();
  for (const found of kept) {
    const name = key(found);
    const group = groups.get(name);
    if (group) group.push(found); else groups.set(name, [found]);
  }
  const worst = (group) => group.reduce((most, found) => Math.max(most, found.severity), 0);
  const order = [...groups].map(([name, group]) => ({name, group, worst: worst(group)}));
  order.sort((one, other) => other.worst - one.worst);
  const rows = [];
  for (const {name, group} of order) {
    rows.push({group: name, count: group.length});
    group.sort((one, other) => other.severity - one.severity || one.index - other.index);
    for (const found of group) rows.push(found);
  }
  return rows;
}

function applyFilters() {
  const words = filters.text.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = findings.filter((found) => matches(found, words));
  list.show(grouped(kept));
  byId('count').textContent = t('{} of {} findings', kept.length, findings.length);
  byId('none').classList.toggle('hidden', kept.length > 0);
  if (current && !kept.includes(current)) showDetail(null);
}

function drawRow(item) {
  if (item.group !== undefined) {
    return element('div', {class: 'group', role: 'presentation'},
      element('div', {}, item.group + ' (' + item.count + ')'));
  }
  const state = isAccepted(item) ? ' · ' + t('accepted') : '';
  return element('div', {class: isAccepted(item) ? 'accepted' : '', role: 'option'},
    element('div', {},
      element('span', {class: 'severity ' + severities[item.severity]}, t(severities[item.severity])), ' ',
      titleOf(item), ' ', element('span', {class: 'mono soft'}, item.sample)),
    element('div', {class: 'soft'},
      (filters.group === 'file' ? '' : item.path + ' · ') + placeOf(item).join(' · ') + state));
}

function choice(label, name, options) {
  const select = element('select', {id: 'filter-' + name, on: {change: () => {
    filters[name] = select.value;
    applyFilters();
  }}}, options.map(([value, text]) => element('option', {value, selected: filters[name] === value}, text)));
  return element('label', {}, label, select);
}

function distinct(values) { return [...new Set(values)].sort(); }

function drawFindings() {
  const search = element('input', {
    type: 'search', id: 'search', placeholder: t('Search findings'), 'aria-label': t('Search findings'),
    on: {input: () => { filters.text = search.value; applyFilters(); }},
  });
  const counts = [0, 0, 0, 0];
  for (const found of findings) if (!isAccepted(found)) counts[found.severity] += 1;
  const chips = [3, 2, 1, 0].map((severity) => {
    const chip = element('button', {
      type: 'button', 'aria-pressed': 'false', id: 'severity-' + severities[severity],
      on: {click: () => {
        const isOn = !filters.severity.delete(severity);
        if (isOn) filters.severity.add(severity);
        chip.setAttribute('aria-pressed', isOn);
        applyFilters();
      }},
    }, element('span', {class: 'severity ' + severities[severity]}, t(severities[severity])), ' ' + counts[severity]);
    return chip;
  });
  const rules = distinct(findings.map((found) => found.rule));
  const states = distinct(findings.map((found) => found.liveness));
  byId('findings-tools').append(
    element('div', {class: 'bar'}, search, ...chips),
    element('div', {class: 'bar'},
      choice(t('Rule'), 'rule', [['', t('all')], ...rules.map((rule) => [rule, rule])]),
      choice(t('Worth'), 'liveness', [['', t('all')], ...states.map((state) => [state, t(state)])]),
      choice(t('State'), 'state', [['open', t('open')], ['accepted', t('accepted')], ['all', t('all')]]),
      choice(t('Group by'), 'group', [['file', t('file')], ['rule', t('rule')], ['severity', t('severity')],
        ['needle', t('needle')], ['none', t('nothing')]]),
      element('button', {type: 'button', id: 'reset', on: {click: resetFilters}}, t('Clear')),
      element('span', {id: 'count', class: 'soft', role: 'status'}),
      element('span', {id: 'control-filter', class: 'soft'})));
  list = new RowList(byId('list'), 52, drawRow, (item) => { if (item.group === undefined) showDetail(item); });
  byId('list').append(element('p', {id: 'none', class: 'none hidden'}, t('No finding matches.')));
  applyFilters();
}

function resetFilters() {
  Object.assign(filters, {text: '', rule: '', liveness: '', state: 'open', control: ''});
  filters.severity.clear();
  byId('search').value = '';
  for (const severity of severities) byId('severity-' + severity).setAttribute('aria-pressed', 'false');
  for (const name of ['rule', 'liveness', 'state']) byId('filter-' + name).value = filters[name];
  byId('control-filter').textContent = '';
  applyFilters();
}
