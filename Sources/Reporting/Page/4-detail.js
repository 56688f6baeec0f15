// One finding: what it is, where, the bytes around it, and how to see them oneself.

function fact(label, ...content) {
  return [element('dt', {}, label), element('dd', {}, ...content)];
}

/** The bytes as a hex editor shows them, with covered ones marked. */
function hexadecimal(excerpt) {
  const [source, offset, text] = excerpt;
  const lines = element('pre', {class: 'hex', 'aria-label': t('bytes around the value')});
  const start = offset - offset % 16;
  for (let line = start; line < offset + text.length / 2; line += 16) {
    const bytes = element('span');
    const letters = element('span');
    for (let column = 0; column < 16; column += 1) {
      const at = (line + column - offset) * 2;
      const pair = at >= 0 && at < text.length ? text.slice(at, at + 2) : null;
      const code = pair === null || pair === '..' ? NaN : parseInt(pair, 16);
      const covered = pair === '..';
      const letter = pair === null ? ' ' : covered ? '•' : code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.';
      const style = covered ? {class: 'covered'} : {};
      bytes.append(element('span', style, pair === null ? '  ' : covered ? '••' : pair), column === 7 ? '  ' : ' ');
      letters.append(element('span', style, letter));
    }
    lines.append(line.toString(16).padStart(8, '0') + '  ', bytes, ' ', letters, '\n');
  }
  return [
    element('p', {class: 'soft'}, source === 0
      ? t('The file as a hex editor shows it; protected bytes are covered.')
      : t('The unpacked value; no byte of the file shows it as it is. Protected bytes are covered.')),
    lines,
  ];
}

/** Commands that show the same place to whoever has the input. */
function commands(found) {
  const made = [];
  const path = quoted(found.path);
  for (let index = 0; index < found.ranges.length && index < 8; index += 2) {
    made.push('xxd -s ' + found.ranges[index] + ' -l ' + Math.max(found.ranges[index + 1], 1) + ' ' + path);
  }
  if (found.context.page || !made.length) made.push('vestige inspect ' + path);
  return made;
}

function showDetail(found) {
  current = found;
  const box = byId('detail');
  box.replaceChildren();
  if (!found) {
    box.append(element('p', {class: 'soft'}, t('Choose a finding. Keys: / searches, j and k move, a accepts.')));
    return;
  }
  const severity = severities[found.severity];
  box.append(element('h3', {}, titleOf(found)),
    element('p', {}, element('span', {class: 'severity ' + severity}, t(severity)), ' · ',
      element('code', {}, found.rule), ' · ', element('code', {}, found.sample)));
  if (found.message) box.append(element('p', {class: 'breaks'}, found.message));
  box.append(element('p', {class: 'breaks'}, found.remedy));
  box.append(element('dl', {class: 'facts'},
    fact(t('File'), found.path), fact(t('Place'), placeOf(found).join(' · ') || '–'),
    fact(t('Locator'), element('code', {}, found.path + found.inner)),
    found.context.copyOf ? fact(t('Copy of'), element('code', {}, found.context.copyOf)) : [],
    found.also.length ? fact(t('Also seen as'), ...found.also.map((place) => element('div', {}, element('code', {}, place)))) : [],
    found.controls ? fact(t('Evidence for'), found.controls) : [],
    fact(t('Fingerprint'), element('code', {}, found.fingerprint)),
    found.suppressed ? fact(t('Accepted'), suppressionText(found.suppressed)) : []));
  if (found.excerpt) box.append(...hexadecimal(found.excerpt));
  box.append(element('p', {class: 'soft'}, t('To see it oneself, in the folder that was scanned:')),
    element('pre', {class: 'command'}, commands(found).map((line) => element('div', {}, line))));
  if (!found.suppressed) box.append(acceptForm(found));
  box.scrollTop = 0;
}

function suppressionText(suppressed) {
  const [by, reason, until] = suppressed;
  return t(by) + ': ' + reason + (until ? ' (' + t('until {}', until) + ')' : '');
}
