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

/** One line a finding, sorted, so that two people's decisions merge line by line. */
function baselineText() {
  const lines = [];
  const seen = new Set();
  for (const found of findings) {
    const decision = found.accepted
      || (found.suppressed && found.suppressed[0] === 'baseline'
        ? {reason: found.suppressed[1], until: found.suppressed[2]} : null);
    if (!decision || seen.has(found.fingerprint)) continue;
    seen.add(found.fingerprint);
    lines.push(baselineLine(found, decision));
  }
  lines.sort();
  return baselineHead + lines.join('');
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

// The form of a baseline file.
const baselineHead = '';

function baselineLine(found, decision) {
  return '- ' + JSON.stringify({fingerprint: found.fingerprint, rule: found.rule, path: found.path,
    reason: decision.reason, ...(decision.until ? {until: decision.until} : {})}) + '\n';
}
