// A QR code made in the browser (ISO/IEC 18004, bytes, level L, versions 6 to 15), for what no server may see: the link
// that carries a device's share of the dice.
(() => {
  "use strict";
  // By version: correction bytes of each block, and the data bytes of the blocks.
  const BLOCKS = {
    6: [18, [68, 68]], 7: [20, [78, 78]], 8: [24, [97, 97]], 9: [30, [116, 116]], 10: [18, [68, 68, 69, 69]], 11: [20, [81, 81, 81, 81]],
    12: [24, [92, 92, 93, 93]], 13: [26, [107, 107, 107, 107]], 14: [30, [115, 115, 115, 116]], 15: [22, [87, 87, 87, 87, 87, 88]],
  };
  const CENTRES = {
    6: [6, 34], 7: [6, 22, 38], 8: [6, 24, 42], 9: [6, 26, 46], 10: [6, 28, 50], 11: [6, 30, 54], 12: [6, 32, 58], 13: [6, 34, 62],
    14: [6, 26, 46, 66], 15: [6, 26, 48, 70],
  };
  const MASKS = [
    (r, c) => (r + c) % 2, (r) => r % 2, (r, c) => c % 3, (r, c) => (r + c) % 3, (r, c) => ((r >> 1) + Math.floor(c / 3)) % 2,
    (r, c) => (r * c) % 2 + (r * c) % 3, (r, c) => ((r * c) % 2 + (r * c) % 3) % 2, (r, c) => ((r + c) % 2 + (r * c) % 3) % 2,
  ];

  // Arithmetic of the field with 256 elements, and Reed-Solomon with it.
  const exp = new Uint8Array(512), log = new Uint8Array(256);
  for (let place = 0, x = 1; place < 255; place++) { exp[place] = exp[place + 255] = x; log[x] = place; x = x & 128 ? (x << 1) ^ 0x11d : x << 1; }
  const times = (a, b) => a && b ? exp[log[a] + log[b]] : 0;
  function corrections(data, count) {
    let divisor = [1];
    for (let root = 0; root < count; root++) divisor = [...divisor, 0].map((one, place) => one ^ (place ? times(divisor[place - 1], exp[root]) : 0));
    const left = [...data, ...new Array(count).fill(0)];
    for (let place = 0; place < data.length; place++) {
      const factor = left[place];
      if (factor) divisor.forEach((one, next) => { left[place + next] ^= times(one, factor); });
    }
    return left.slice(data.length);
  }

  function codewords(text, version) {
    const [extra, sizes] = BLOCKS[version], room = sizes.reduce((a, b) => a + b), bytes = new TextEncoder().encode(text), bits = [];
    const put = (value, count) => { for (let bit = count - 1; bit >= 0; bit--) bits.push((value >> bit) & 1); };
    put(4, 4); put(bytes.length, version < 10 ? 8 : 16);
    for (const byte of bytes) put(byte, 8);
    put(0, Math.min(4, 8 * room - bits.length));
    while (bits.length % 8) bits.push(0);
    for (let pad = 0xec; bits.length < 8 * room; pad ^= 0xec ^ 0x11) put(pad, 8);
    const data = [], blocks = [];
    for (let bit = 0; bit < bits.length; bit += 8) data.push(bits.slice(bit, bit + 8).reduce((a, b) => 2 * a + b, 0));
    for (const size of sizes) { const block = data.splice(0, size); blocks.push([block, corrections(block, extra)]); }
    const found = [];
    for (const half of [0, 1]) for (let place = 0; place < Math.max(...blocks.map((one) => one[half].length)); place++) {
      for (const one of blocks) if (place < one[half].length) found.push(one[half][place]);
    }
    return found;
  }

  // Check digits of what a code says about itself.
  function checked(value, digits, divisor) {
    let left = value << digits;
    for (let bit = 31 - Math.clz32(left); bit >= digits; bit = 31 - Math.clz32(left)) { left ^= divisor << (bit - digits); if (!left) break; }
    return (value << digits) | left;
  }

  function drawn(words, version, mask) {
    const size = 17 + 4 * version, rows = Array.from({ length: size }, () => new Array(size).fill(null));
    const square = (r, c, dark) => { if (r >= 0 && c >= 0 && r < size && c < size) rows[r][c] = dark ? 1 : 0; };
    for (const [top, left] of [[0, 0], [0, size - 7], [size - 7, 0]]) {
      for (let r = -1; r < 8; r++) for (let c = -1; c < 8; c++) {
        const ring = Math.max(Math.abs(r - 3), Math.abs(c - 3));
        square(top + r, left + c, ring !== 2 && ring !== 4);
      }
    }
    const centres = CENTRES[version], last = centres.length - 1;
    centres.forEach((row, one) => centres.forEach((column, other) => {
      if ((one === 0 && (other === 0 || other === last)) || (one === last && other === 0)) return;
      for (let r = -2; r < 3; r++) for (let c = -2; c < 3; c++) square(row + r, column + c, Math.max(Math.abs(r), Math.abs(c)) !== 1);
    }));
    for (let place = 8; place < size - 8; place++) { square(6, place, place % 2 === 0); square(place, 6, place % 2 === 0); }
    const format = checked(8 | mask, 10, 0x537) ^ 0x5412, bit = (number) => (format >> number) & 1;
    for (let number = 0; number < 15; number++) {
      square(number < 6 ? number : number < 8 ? number + 1 : size - 15 + number, 8, bit(number));
      square(8, number < 8 ? size - 1 - number : number < 9 ? 7 : 14 - number, bit(number));
    }
    square(size - 8, 8, 1);
    if (version > 6) {
      const about = checked(version, 12, 0x1f25);
      for (let number = 0; number < 18; number++) {
        const far = size - 11 + number % 3, near = Math.floor(number / 3), dark = (about >> number) & 1;
        square(far, near, dark); square(near, far, dark);
      }
    }
    let next = 0, up = true;
    for (let right = size - 1; right > 0; right -= 2) {
      if (right === 6) right--;
      for (let step = 0; step < size; step++) for (const column of [right, right - 1]) {
        const row = up ? size - 1 - step : step;
        if (rows[row][column] !== null) continue;
        const dark = next < 8 * words.length ? (words[next >> 3] >> (7 - next % 8)) & 1 : 0;
        rows[row][column] = dark ^ (MASKS[mask](row, column) === 0 ? 1 : 0);
        next++;
      }
      up = !up;
    }
    return rows;
  }

  // How much a pattern looks like something else: long runs, blocks, an unequal share of dark squares.
  function oddness(rows) {
    let found = 0, dark = 0;
    const size = rows.length;
    for (const of of [(a, b) => rows[a][b], (a, b) => rows[b][a]]) for (let a = 0; a < size; a++) {
      for (let b = 1, run = 1; b <= size; b++) {
        if (b < size && of(a, b) === of(a, b - 1)) { run++; continue; }
        if (run >= 5) found += run - 2;
        run = 1;
      }
    }
    for (let r = 0; r < size; r++) for (let c = 0; c < size; c++) {
      dark += rows[r][c];
      if (r && c && rows[r][c] === rows[r - 1][c] && rows[r][c] === rows[r][c - 1] && rows[r][c] === rows[r - 1][c - 1]) found += 3;
    }
    return found + 10 * Math.floor(Math.abs(20 * dark / size / size - 10));
  }

  // The code of a text: its version, its mask, and its rows of 0 and 1; null for a text that is too long.
  function code(text) {
    const length = new TextEncoder().encode(text).length;
    const version = Object.keys(BLOCKS).map(Number).find((one) => BLOCKS[one][1].reduce((a, b) => a + b) >= length + (one < 10 ? 2 : 3));
    if (!version) return null;
    const words = codewords(text, version), tried = MASKS.map((_, mask) => drawn(words, version, mask));
    const odd = tried.map(oddness), mask = odd.indexOf(Math.min(...odd));
    return { version, mask, rows: tried[mask] };
  }

  // The same as a picture, black on white, with the border that readers ask for.
  function picture(text, title) {
    const found = code(text);
    if (!found) return null;
    const space = "http://www.w3.org/2000/svg", size = found.rows.length + 8;
    const svg = document.createElementNS(space, "svg"), path = document.createElementNS(space, "path");
    let lines = "";
    found.rows.forEach((row, r) => row.forEach((dark, c) => { if (dark) lines += `M${c + 4} ${r + 4}h1v1h-1z`; }));
    path.setAttribute("d", lines);
    svg.setAttribute("viewBox", `0 0 ${size} ${size}`); svg.setAttribute("role", "img"); svg.setAttribute("aria-label", title);
    svg.setAttribute("shape-rendering", "crispEdges");
    svg.append(path);
    return svg;
  }

  window.cinqmilleQr = { code, picture };
})();
