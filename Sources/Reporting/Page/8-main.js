// Puts the page together: sections in order, keys, printing.

function isTyping(target) { return target.matches('input, textarea, select'); }

function drawKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      if (isTyping(event.target)) byId('list').focus(); else resetFilters();
      return;
    }
    if (isTyping(event.target)) return;
    if (event.key === '/') {
      event.preventDefault();
      byId('search').focus();
    } else if ((event.key === 'j' || event.key === 'k') && event.target !== byId('list')) {
      byId('list').focus();
      list.move(event.key === 'j' ? 1 : -1);
    } else if (event.key === 'a' && byId('reason')) {
      event.preventDefault();
      byId('reason').focus();
    }
  });
}

/** Paper has no list to scroll: what the filters let through is printed, as far as that makes sense. */
function drawPrint() {
  const most = 1000;
  const box = byId('print');
  window.addEventListener('beforeprint', () => {
    const kept = list.items.filter((item) => item.group === undefined).sort((one, other) => other.severity - one.severity);
    box.replaceChildren(...table([t('Severity'), t('What'), t('File'), t('Place'), t('Locator')], kept.slice(0, most), (found) => [
      element('td', {class: 'severity ' + severities[found.severity]}, t(severities[found.severity])),
      cell([titleOf(found), ' ', element('code', {}, found.sample), element('br'), element('code', {}, found.rule)]),
      cell(found.path), cell(placeOf(found).join(' · ')), cell(element('code', {}, found.inner)),
    ], most));
    if (kept.length > most) box.append(element('p', {}, t('{} more are in the report on screen.', kept.length - most)));
    for (const part of document.querySelectorAll('details')) part.open = true;
  });
  window.addEventListener('afterprint', () => box.replaceChildren());
}

drawTriage();
drawControls();
drawFindings();
showDetail(null);
drawLayouts();
drawResults();
drawProof();
drawComponents();
drawInputs();
drawDiagnostics();
drawNotes();
drawKeys();
drawPrint();
prepareSearch();
document.documentElement.dataset.ready = 'yes';
