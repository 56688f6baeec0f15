// Accepting findings in the page, and the baseline file that comes of it.

function acceptForm(found) {
  const reason = element('textarea', {id: 'reason', 'aria-label': t('Reason'), placeholder: t('Why is this acceptable?')});
  const until = element('input', {type: 'date', id: 'until', 'aria-label': t('Until')});
  if (found.accepted) {
    reason.value = found.accepted.reason;
    until.value = found.accepted.until || '';
  }
  const accept = element('button', {type: 'button', class: 'primary', id: 'accept', on: {click: () => {
    if (!reason.value.trim()) { reason.focus(); return; }
    found.accepted = {reason: reason.value.trim().replace(/\s+/g, ' '), until: until.value || null};
    changed(found);
  }}}, t('Accept'));
  const undo = element('button', {type: 'button', id: 'undo', on: {click: () => {
    found.accepted = null;
    changed(found);
  }}}, t('Take back'));
  accept.disabled = !reason.value.trim();
  reason.addEventListener('input', () => { accept.disabled = !reason.value.trim(); });
  return element('div', {class: 'accept screen'},
    element('p', {}, found.accepted ? t('Accepted in this page; export the baseline to keep it.')
      : t('Accept this finding, with a reason:')),
    reason,
    element('div', {class: 'bar'}, element('label', {}, t('Until'), until), accept, found.accepted ? undo : null));
}

function changed(found) {
  const count = findings.filter((one) => one.accepted).length;
  byId('export').disabled = count === 0;
  byId('accepted-count').textContent = count === 0 ? '' : t('{} accepted here, not yet exported', count);
  const position = list.selected;
  applyFilters();
  showDetail(found);
  if (list.items[position] && list.items[position] !== found) list.selected = position - 1;
  byId('list').focus();
}

/** What is accepted, as `vestige baseline` writes it: one line a fingerprint, sorted, with how many live
 *  copies of it there are; residue comes and goes, and counts once. */
function baselineText() {
  const entries = new Map();
  for (const found of findings) {
    const decision = found.accepted
      || (found.suppressed && found.suppressed[0] === 'baseline'
        ? {reason: found.suppressed[1], until: found.suppressed[2]} : null);
    if (!decision || found.rule === 'policy.expired' || found.rule === 'policy.required') continue;
    const known = entries.get(found.fingerprint);
    if (!known) entries.set(found.fingerprint, {found, decision, count: 1});
    else if (found.liveness === 'live') known.count += 1;
  }
  const ordered = [...entries.values()].sort((one, other) => byCharacters(one.found.path, other.found.path)
    || byCharacters(one.found.rule, other.found.rule) || byCharacters(one.found.fingerprint, other.found.fingerprint));
  const lines = ordered.map(({found, decision, count}) => '  - {fingerprint: ' + JSON.stringify(found.fingerprint)
    + ', rule: ' + inQuotes(found.rule) + ', path: ' + inQuotes(found.path) + ', count: ' + count
    + ', reason: ' + inQuotes(decision.reason) + (decision.until ? ', until: ' + inQuotes(decision.until) : '') + '}\n');
  return '# Findings accepted so far. `vestige baseline update` takes out what is gone and keeps the reasons.\n'
    + 'vestige-baseline: 1\nfingerprint-key: ' + inQuotes(data.fingerprintKey) + '\n'
    + (lines.length ? 'accepted:\n' + lines.join('') : 'accepted: []\n');
}

/** The order of characters, not of the halves that some are written in. */
function byCharacters(one, other) {
  const [first, second] = [[...one], [...other]];
  for (let index = 0; index < first.length && index < second.length; index += 1) {
    const difference = first[index].codePointAt(0) - second[index].codePointAt(0);
    if (difference) return difference;
  }
  return first.length - second.length;
}

/** A text between double quotes, as YAML and JSON both read it. */
function inQuotes(text) {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g,
    (character) => '\\u' + character.codePointAt(0).toString(16).padStart(4, '0'));
}

function exportBaseline() {
  const url = URL.createObjectURL(new Blob([baselineText()], {type: 'application/yaml'}));
  const link = element('a', {href: url, download: 'vestige-baseline.yaml'});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  exported = true;
}

let exported = false;

function drawTriage() {
  byId('findings-tools').append(element('div', {class: 'bar'},
    element('button', {type: 'button', id: 'export', disabled: true, on: {click: exportBaseline}}, t('Export baseline')),
    element('span', {id: 'accepted-count', class: 'soft', role: 'status'})));
  window.addEventListener('beforeunload', (event) => {
    if (!exported && findings.some((found) => found.accepted)) event.preventDefault();
  });
}

