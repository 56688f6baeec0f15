// Databases and logs as pictures: what each page is and is worth, where hits lie, how dense the bytes are.

function color(name) { return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(); }

/** The colour of a run: what it is worth, and, where it is live, what it is. */
function colorName(run) {
  if (run.role === 'ciphertext') return 'cipher';
  if (run.role === 'zero' || run.role === 'empty') return 'empty';
  if (run.liveness !== 'live') return run.liveness;
  if (run.role.endsWith('interior')) return 'interior';
  if (run.role.startsWith('index')) return 'index';
  if (run.role === 'overflow') return 'overflow';
  return 'live';
}

const legendNames = {
  live: 'live page', interior: 'interior page of a tree', index: 'index page', overflow: 'overflow page',
  deleted: 'deleted', superseded: 'superseded', uncommitted: 'uncommitted', stale: 'stale', slack: 'slack',
  cipher: 'ciphertext', empty: 'empty', hit: 'a finding lies here',
};

function layoutOf(row) {
  const layout = {path: row[0], unit: row[1], pageSize: row[2], isSampled: row[3], runs: [], count: 0};
  for (const run of row[4]) {
    layout.runs.push({
      first: run[0], count: run[1], role: strings[run[2]], liveness: strings[run[3]], owner: run[4] === -1 ? '' : strings[run[4]],
      live: run[5], dead: run[6], entropy: run[7], generation: run[8], commits: run[9], isMixed: run[10] === 1,
    });
    layout.count = run[0] + run[1] - 1;
  }
  return layout;
}

/** Numbers of the pages, frames or records that findings lie in. */
function hitsOf(layout) {
  const hits = new Map();
  function add(number) {
    if (number >= 1 && number <= layout.count) hits.set(number, (hits.get(number) || 0) + 1);
  }
  for (const found of findings) {
    if (found.path !== layout.path || isAccepted(found)) continue;
    if (layout.unit === 'page' && found.ranges.length) {
      for (let index = 0; index < found.ranges.length; index += 2) add(Math.floor(found.ranges[index] / layout.pageSize) + 1);
    } else if (layout.unit === 'page') {
      if (found.context.page) add(found.context.page);
    } else if (found.context.frame) {
      add(found.context.frame);
    }
  }
  return hits;
}

/** A canvas as wide as its box, drawn again when the box or the colours change. */
function picture(height, draw, label) {
  const canvas = element('canvas', {role: 'img', 'aria-label': label});
  function redraw() {
    const width = canvas.clientWidth || 800;
    const ratio = Math.max(1, Math.min(2, window.devicePixelRatio || 1));
    const tall = height(width);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(tall * ratio);
    canvas.style.height = tall + 'px';
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    draw(context, width, tall);
  }
  new ResizeObserver(redraw).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  return canvas;
}

function runOf(layout, number) {
  let low = 0;
  let high = layout.runs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (layout.runs[middle].first <= number) low = middle; else high = middle - 1;
  }
  return layout.runs[low];
}

/** How the map is divided: cells in a row, and how many pages a cell stands for. */
function grid(layout, width) {
  const most = 6144;
  const perCell = Math.max(1, Math.ceil(layout.count / most));
  const cells = Math.ceil(layout.count / perCell);
  const side = cells <= 64 ? 22 : cells <= 512 ? 14 : 9;
  const columns = Math.max(1, Math.floor(width / side));
  return {perCell, cells, side, columns, rows: Math.ceil(cells / columns)};
}

function drawMap(layout, hits, context, width) {
  const {perCell, cells, side, columns} = grid(layout, width);
  for (let index = 0; index < cells; index += 1) {
    const x = (index % columns) * side;
    const y = Math.floor(index / columns) * side;
    const run = runOf(layout, index * perCell + 1);
    context.fillStyle = color(colorName(run));
    context.fillRect(x, y, side - 1, side - 1);
    if (run.dead > 0 && run.liveness === 'live') {
      // A corner in the colour of what is deleted: something is left in the free parts of the page.
      context.fillStyle = color('deleted');
      context.fillRect(x, y + side - 1 - Math.ceil(side / 3), Math.ceil(side / 2), Math.ceil(side / 3));
    }
  }
  context.lineWidth = 2;
  context.strokeStyle = color('hit');
  const marked = new Set();
  for (const number of hits.keys()) marked.add(Math.floor((number - 1) / perCell));
  for (const index of marked) {
    context.strokeRect((index % columns) * side + 1, Math.floor(index / columns) * side + 1, side - 3, side - 3);
  }
}

function describe(layout, number, hits) {
  const run = runOf(layout, number);
  const words = [t(layout.unit + ' {}', number), t(run.role), t(run.liveness)];
  if (run.owner) words.push(run.owner);
  if (run.dead && run.liveness === 'live') words.push(t('deleted content left in it'));
  if (run.entropy) words.push(t('entropy {}', run.entropy.toFixed(2)));
  if (run.generation) words.push(t('generation {}', run.generation));
  if (run.isMixed) words.push(t('joined with its neighbours'));
  if (hits.get(number)) words.push(t(hits.get(number) === 1 ? '{} finding' : '{} findings', hits.get(number)));
  return words.join(' · ');
}

function entropyStrip(layout, context, width, tall) {
  for (let x = 0; x < width; x += 1) {
    const run = runOf(layout, Math.min(layout.count, Math.floor(x / width * layout.count) + 1));
    const share = run.entropy / 8;
    context.fillStyle = color(run.entropy > 7.9 ? 'cipher' : 'live');
    context.fillRect(x, tall * (1 - share), 1, tall * share);
  }
}

/** The log from its first frame to its last: state, generations, where transactions end, hits. */
function timeline(layout, hits, context, width, tall) {
  const scale = width / layout.count;
  const bar = tall - 26;
  for (const run of layout.runs) {
    context.fillStyle = color(run.role === 'torn' ? 'uncommitted' : run.liveness);
    context.fillRect((run.first - 1) * scale, 12, Math.max(run.count * scale - (scale > 3 ? 1 : 0), .5), bar);
    if (run.commits) {
      context.fillStyle = color('ink');
      context.fillRect((run.first + run.count - 1) * scale - 1.5, 12 + bar, 1.5, 7);
    }
  }
  let generation = null;
  context.font = '10px sans-serif';
  for (const run of layout.runs) {
    if (run.generation === generation) continue;
    generation = run.generation;
    context.fillStyle = color('soft');
    context.fillRect((run.first - 1) * scale, 0, 1, tall);
    context.fillText(String(generation ?? ''), (run.first - 1) * scale + 3, tall - 1);
  }
  context.fillStyle = color('hit');
  for (const number of hits.keys()) {
    context.beginPath();
    const x = (number - .5) * scale;
    context.moveTo(x - 4, 1); context.lineTo(x + 4, 1); context.lineTo(x, 10);
    context.fill();
  }
}

function legend(layout, hits) {
  const names = new Set(layout.runs.map(colorName));
  if (layout.runs.some((run) => run.dead > 0)) names.add('deleted');
  if (hits.size) names.add('hit');
  return element('ul', {class: 'legend'}, Object.keys(legendNames).filter((name) => names.has(name)).map((name) => {
    const mark = element('i');
    if (name === 'hit') mark.style.border = '2px solid ' + 'var(--hit)';
    else mark.style.background = 'var(--' + name + ')';
    return element('li', {}, mark, t(legendNames[name]));
  }));
}

function drawLayout(layout) {
  const hits = hitsOf(layout);
  const tip = element('p', {class: 'tip', role: 'status'}, ' ');
  const isLog = layout.unit !== 'page';
  const label = t('{} {} of {}, {} with findings', layout.count, t(layout.unit + 's'), layout.path, hits.size);
  const canvas = isLog
    ? picture(() => 70, (context, width, tall) => timeline(layout, hits, context, width, tall), label)
    : picture((width) => { const {rows, side} = grid(layout, width); return Math.max(rows * side, 12); },
      (context, width) => drawMap(layout, hits, context, width), label);
  canvas.addEventListener('mousemove', (event) => {
    let number;
    if (isLog) {
      number = Math.floor(event.offsetX / canvas.clientWidth * layout.count) + 1;
    } else {
      const {perCell, side, columns} = grid(layout, canvas.clientWidth);
      number = (Math.floor(event.offsetY / side) * columns + Math.floor(event.offsetX / side)) * perCell + 1;
    }
    tip.textContent = number >= 1 && number <= layout.count ? shown(describe(layout, number, hits)) : ' ';
  });
  const parts = [element('p', {}, t('{} {} of {}', layout.count, t(layout.unit + 's'), size(layout.pageSize))), canvas, tip, legend(layout, hits)];
  if (!isLog) {
    parts.push(element('p', {class: 'soft'}, t('Entropy along the file, 0 to 8 bits a byte') + (layout.isSampled ? t(' (from a sample of the pages)') : '')),
      picture(() => 48, (context, width, tall) => entropyStrip(layout, context, width, tall), t('Entropy along the file, 0 to 8 bits a byte')));
  } else {
    parts.push(element('p', {class: 'soft'}, t('Frames from left to right as they were written; ticks below end a transaction, numbers name generations.')));
  }
  return element('div', {class: 'map'}, parts);
}

function drawLayouts() {
  if (!data.layouts || !data.layouts.length) return;
  const layouts = data.layouts.map(layoutOf);
  const hits = layouts.map((layout) => hitsOf(layout).size);
  const order = layouts.map((layout, index) => index).sort((one, other) => hits[other] - hits[one] || one - other);
  section('layouts', order.map((index, position) => {
    const layout = layouts[index];
    const box = element('details', {}, element('summary', {class: 'breaks'}, layout.path + ' ',
      element('span', {class: 'soft'}, t('{} {}, {} with findings', layout.count, t(layout.unit + 's'), hits[index]))));
    let isDrawn = false;
    function draw() {
      if (isDrawn || !box.open) return;
      isDrawn = true;
      box.append(drawLayout(layout));
    }
    box.addEventListener('toggle', draw);
    if (position < 3) { box.open = true; draw(); }
    return box;
  }));
}
