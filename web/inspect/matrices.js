// Matrices of the data: {shape: [n, rows, columns], low, step, data}, where `data` is base64 of a
// zlib stream of the low bytes, then the high bytes, of integers; a value is low + step * integer.
"use strict";

class Matrices {
  constructor(shape, values) {
    [this.count, this.rows, this.columns] = shape;
    this.values = values;  // Float32Array
  }

  static async read(packed) {
    const bytes = await inflate(packed.data);
    const size = bytes.length / 2;
    const values = new Float32Array(size);
    for (let i = 0; i < size; ++i) {
      values[i] = packed.low + packed.step * (bytes[i] + 256 * bytes[size + i]);
    }
    return new Matrices(packed.shape, values);
  }

  at(n, row, column) {
    return this.values[(n * this.rows + row) * this.columns + column];
  }

  // One matrix of the list, as a list of one.
  only(n) {
    const size = this.rows * this.columns;
    return new Matrices([1, this.rows, this.columns],
                        this.values.subarray(n * size, (n + 1) * size));
  }

  mean() {
    const size = this.rows * this.columns;
    const values = new Float32Array(size);
    for (let i = 0; i < this.values.length; ++i) values[i % size] += this.values[i] / this.count;
    return new Matrices([1, this.rows, this.columns], values);
  }

  // Of the first matrix A, which is square: (A + I) / 2.
  halfIdentity() {
    const values = this.values.map((value, i) => (value + (i % (this.columns + 1) ? 0 : 1)) / 2);
    return new Matrices([1, this.rows, this.columns], values);
  }

  // The product of the first matrices.
  times(other) {
    const out = new Matrices([1, this.rows, other.columns],
                             new Float32Array(this.rows * other.columns));
    for (let i = 0; i < this.rows; ++i) {
      for (let k = 0; k < this.columns; ++k) {
        const weight = this.at(0, i, k);
        for (let j = 0; j < other.columns; ++j) {
          out.values[i * other.columns + j] += weight * other.at(0, k, j);
        }
      }
    }
    return out;
  }

  // Of the first matrix.
  greatest() {
    return this.values.subarray(0, this.rows * this.columns).reduce((a, b) => Math.max(a, b));
  }

  least() {
    return this.values.subarray(0, this.rows * this.columns).reduce((a, b) => Math.min(a, b));
  }

  // [{index, value}] of a row of the first matrix, the greatest value first.
  sortedRow(row) {
    const out = [];
    for (let k = 0; k < this.columns; ++k) out.push({index: k, value: this.at(0, row, k)});
    return out.sort((a, b) => b.value - a.value);
  }
}

async function inflate(base64) {
  const compressed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
