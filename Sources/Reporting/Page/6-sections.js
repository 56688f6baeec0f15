// Everything beside the findings: files, checklist, controls, proof, what was not looked at.
const mostRows = 2000;

/** A table that shows its first rows, and more when asked. */
function table(heads, rows, draw, step = 200) {
  const body = element('tbody');
  let drawn = 0;
  const more = element('button', {type: 'button', class: 'screen', on: {click: () => add(step)}});
  function add(count) {
    const part = document.createDocumentFragment();
    for (const row of rows.slice(drawn, drawn + count)) part.append(element('tr', {}, draw(row)));
    drawn = Math.min(rows.length, drawn + count);
    body.append(part);
    more.textContent = t('Show {} more', rows.length - drawn);
    more.classList.toggle('hidden', drawn >= rows.length);
  }
  add(step);
  const head = element('thead', {}, element('tr', {}, heads.map((head) => element('th', {}, head))));
  // Where the page is narrow the table is moved sideways, not the page.
  return [element('div', {class: 'scroll'}, element('table', {}, head, body)), more];
}

function cell(content, name) { return element('td', name ? {class: name} : {}, content); }

function section(id, content) {
  const box = byId(id);
  if (!box) return;
  box.append(...content);
}

function drawInputs() {
  if (!data.inputs.length) return;
  const hits = new Map();
  for (const found of findings) {
    if (!isAccepted(found)) hits.set(found.path, (hits.get(found.path) || 0) + 1);
  }
  const search = element('input', {type: 'search', 'aria-label': t('Search files'), placeholder: t('Search files')});
  const box = element('div');
  function draw() {
    const word = search.value.toLowerCase();
    const rows = data.inputs.filter((input) => !word || input[0].toLowerCase().includes(word) || input[3].includes(word));
    box.replaceChildren(...table([t('File'), t('Kind'), t('Size'), t('Encrypted'), t('Findings'), 'SHA-256'], rows, (input) => [
      cell(input[0]), cell(input[3]), cell(size(input[1]), 'number'), cell(t(input[4])),
      cell(String(hits.get(input[0]) || 0), 'number'),
      cell(element('code', {}, input[2] || t('not read to its end'))),
    ], 50));
  }
  search.addEventListener('input', draw);
  draw();
  section('inputs', [element('div', {class: 'bar screen'}, search), box]);
}

const outcomeNames = {
  pass: 'nothing found', fail: 'findings', partial: 'nothing found, but incomplete',
  notEvaluated: 'not evaluated', unchecked: 'no rule in effect',
};

function outcome(name, words = outcomeNames) {
  return element('td', {class: 'outcome ' + name}, t(words[name] || name));
}

function drawResults() {
  if (!data.results.length) return;
  const words = {pass: 'pass', fail: 'fail', notEvaluated: 'not evaluated'};
  // What fails is what the reader is here for.
  const order = ['fail', 'pass', 'notEvaluated'];
  const results = [...data.results].sort((one, other) => order.indexOf(one[2]) - order.indexOf(other[2]));
  const select = element('select', {id: 'results-outcome', 'aria-label': t('Outcome')}, ['', 'fail', 'notEvaluated', 'pass'].map(
    (value) => element('option', {value}, value ? t(words[value]) : t('all'))));
  const box = element('div');
  function draw() {
    const rows = results.filter((result) => !select.value || result[2] === select.value);
    box.replaceChildren(...table([t('Outcome'), t('Rule'), t('Place'), t('Reason')], rows, (result) => [
      outcome(result[2], words), cell([strings[result[4]], element('br'), element('code', {}, strings[result[0]])]),
      cell(result[1] || '–'), cell(result[3]),
    ]));
  }
  select.addEventListener('change', draw);
  draw();
  section('results', [element('div', {class: 'bar screen'}, element('label', {}, t('Outcome'), select)), box]);
}

/** Whether a finding is evidence for a control: its rule names the control, or one that it is read through. */
function speaksTo(found, control) {
  const names = found.controls.split(', ');
  return names.includes(control) || (controlPaths.get(control) || []).some((name) => names.includes(name));
}

const controlPaths = new Map();

function drawControls() {
  for (const standard of data.standards) {
    for (const control of standard.controls) controlPaths.set(control.id, control.through);
  }
  section('controls', data.standards.map((standard) => {
    const counts = new Map();
    for (const control of standard.controls) counts.set(control.outcome, (counts.get(control.outcome) || 0) + 1);
    const summary = [...counts].map(([name, count]) => t(outcomeNames[name]) + ' ' + count).join(' · ');
    return element('details', {},
      element('summary', {}, standard.title + ' ', element('span', {class: 'soft'}, summary)),
      element('p', {class: 'soft'}, standard.note),
      table([t('Clause'), t('Outcome'), t('What was checked'), t('Evidence'), t('Not covered by a tool')],
        standard.controls, (control) => [
          cell([element('strong', {}, control.id), element('br'), control.title]), outcome(control.outcome),
          cell(control.checked), cell(evidence(control)), cell(control.uncovered),
        ]));
  }));
}

function evidence(control) {
  if (!control.findings) return control.evidence;
  return [control.evidence, ' ', element('button', {type: 'button', class: 'screen', on: {click: () => {
    resetFilters();
    filters.control = control.id;
    filters.state = 'all';
    byId('filter-state').value = 'all';
    byId('control-filter').textContent = t('only evidence for {}', control.id);
    applyFilters();
    byId('findings').scrollIntoView();
  }}}, t('Show'))];
}

function drawDiagnostics() {
  if (!data.diagnostics.length) return;
  section('diagnostics', table([t('Kind'), t('Place'), t('What'), t('What to do')], data.diagnostics, (one) => [
    cell(element('code', {}, one[0])), cell(one[1]), cell(one[2]), cell(one[3]),
  ]));
}

function drawComponents() {
  if (!data.components.length) return;
  section('components', table([t('Component'), t('Version'), t('Manager'), t('Licence'), t('Known against it')], data.components, (one) => [
    cell([one[0], element('br'), element('code', {}, one[4])]), cell(one[1] || '–'), cell(one[2]), cell(one[3] || '–'),
    element('td', {class: one[5] ? 'outcome fail' : ''}, one[5] || '–'),
  ]));
}

function drawNotes() {
  if (!data.notes || !data.notes.length) return;
  section('notes', table([t('Kind'), t('Place'), t('What'), t('What to do')], data.notes, (one) => [
    cell(element('code', {}, one[0])), cell(one[1] + (one[2] ? ':' + one[2] : '')), cell(one[3]), cell(one[4]),
  ]));
}

const goodVerdicts = {clean: 'pass', skipped: 'unchecked'};

function drawProof() {
  const proof = data.proof;
  if (!proof) return;
  const facts = element('dl', {class: 'facts'},
    fact(t('Store'), proof.store), fact(t('Driver'), element('code', {}, proof.driver)),
    fact(t('Seed'), String(proof.seed)),
    fact(t('Faults'), t('{} kills, {} rebuilt disks, {} failed calls', proof.kills, proof.images, proof.errors)));
  const columns = distinct(proof.scenarios.flatMap((scenario) => scenario.cells.map((one) => one.place + ' / ' + one.canaries)));
  const matrix = element('table', {class: 'matrix'},
    element('thead', {}, element('tr', {}, [t('Scenario'), t('Outcome'), ...columns.map((one) => one.split(' / ').map((word) => t(word)).join(' / '))].map((head) => element('th', {}, head)))),
    element('tbody', {}, proof.scenarios.map((scenario) => element('tr', {},
      cell([element('strong', {}, scenario.title), scenario.notes.length ? element('div', {class: 'soft'}, scenario.notes.join('; ')) : null]),
      element('td', {class: 'outcome ' + (goodVerdicts[scenario.verdict] || 'fail')}, t(scenario.verdict)),
      columns.map((column) => {
        const one = scenario.cells.find((found) => found.place + ' / ' + found.canaries === column);
        if (!one) return cell('');
        const planted = one.foundPlanted === true ? t('a planted leak was found')
          : one.foundPlanted === false ? t('a planted leak was missed') : t('no leak was planted');
        return element('td', {class: 'outcome ' + (goodVerdicts[one.verdict] || 'fail'), title: size(one.bytes) + ', ' + planted},
          t(one.verdict));
      })))));
  const failures = proof.scenarios.flatMap((scenario) => scenario.failures.map((failure) => ({scenario, failure})));
  const parts = [facts, element('div', {class: 'map scroll'}, matrix)];
  if (failures.length) {
    parts.push(element('h3', {}, t('What went wrong')), ...table(
      [t('Scenario'), t('Fault'), t('Outcome'), t('What'), t('Again with')], failures, ({scenario, failure}) => [
        cell(scenario.title), cell(failure.fault), element('td', {class: 'outcome fail'}, t(failure.verdict)),
        cell(failure.message), cell(element('code', {}, failure.reproduce)),
      ]));
  }
  if (proof.mutants.length) {
    parts.push(element('h3', {}, t('With one protection left out')), ...table(
      [t('Left out'), t('Noticed'), t('Where')], proof.mutants, (mutant) => [
        cell(mutant.name), element('td', {class: 'outcome ' + (mutant.caught ? 'pass' : 'fail')}, t(mutant.caught ? 'yes' : 'no')),
        cell(mutant.detail),
      ]));
  }
  section('proof', parts);
}
