/** A list of which only the rows in sight exist: fifty thousand cost no more than fifty. */
class RowList {
  /** `draw(item)` makes the content of a row; `choose(item)` is told what a person picked. */
  constructor(box, rowHeight, draw, choose) {
    this.box = box;
    this.rowHeight = rowHeight;
    this.draw = draw;
    this.choose = choose;
    this.items = [];
    this.selected = -1;
    this.rows = new Map();
    this.space = element('div');
    this.space.style.position = 'relative';
    box.append(this.space);
    box.addEventListener('scroll', () => this.refresh(), {passive: true});
    box.addEventListener('click', (event) => {
      const row = event.target.closest('[data-index]');
      if (row) this.select(Number(row.dataset.index));
    });
    box.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.refresh()).observe(box);
  }

  show(items) {
    this.items = items;
    this.selected = -1;
    this.clear();
    this.space.style.height = Math.max(items.length * this.rowHeight, this.rowHeight) + 'px';
    this.box.scrollTop = 0;
    this.refresh();
  }

  clear() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
  }

  redraw() {
    this.clear();
    this.refresh();
  }

  refresh() {
    const margin = 6;
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.rowHeight) - margin);
    const count = Math.ceil(this.box.clientHeight / this.rowHeight) + 2 * margin;
    const last = Math.min(this.items.length, first + count);
    for (const [index, row] of this.rows) {
      if (index < first || index >= last) {
        row.remove();
        this.rows.delete(index);
      }
    }
    const added = document.createDocumentFragment();
    for (let index = first; index < last; index += 1) {
      if (this.rows.has(index)) continue;
      const row = this.draw(this.items[index]);
      row.classList.add('row');
      row.dataset.index = index;
      row.id = this.box.id + '-' + index;
      row.style.top = index * this.rowHeight + 'px';
      row.style.height = this.rowHeight + 'px';
      row.setAttribute('aria-setsize', this.items.length);
      row.setAttribute('aria-posinset', index + 1);
      this.mark(row, index === this.selected);
      this.rows.set(index, row);
      added.append(row);
    }
    this.space.append(added);
  }

  mark(row, isSelected) {
    row.classList.toggle('selected', isSelected);
    if (row.getAttribute('role') === 'option') row.setAttribute('aria-selected', isSelected);
  }

  select(index) {
    if (index < 0 || index >= this.items.length) return;
    const before = this.rows.get(this.selected);
    if (before) this.mark(before, false);
    this.selected = index;
    const top = index * this.rowHeight;
    if (top < this.box.scrollTop) {
      this.box.scrollTop = top;
    } else if (top + this.rowHeight > this.box.scrollTop + this.box.clientHeight) {
      this.box.scrollTop = top + this.rowHeight - this.box.clientHeight;
    }
    this.refresh();
    const row = this.rows.get(index);
    if (row) {
      this.mark(row, true);
      this.box.setAttribute('aria-activedescendant', row.id);
    }
    this.choose(this.items[index]);
  }

  /** Moves to the next item that `step` away is one a person can pick. */
  move(step) {
    let index = this.selected + step;
    if (this.selected < 0) index = step > 0 ? 0 : this.items.length - 1;
    while (this.items[index] && this.items[index].group) index += Math.sign(step);
    this.select(Math.min(Math.max(index, 0), this.items.length - 1));
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight) - 1);
    const steps = {
      ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page,
      Home: -this.items.length, End: this.items.length,
    };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (Math.abs(step) > 1) {
      const last = this.items.length - 1;
      this.select(Math.min(Math.max(this.selected + step, 0), last));
    } else {
      this.move(step);
    }
  }
}
