// Contrast as WCAG 2 defines it, measured: of dice in a picture of the page, and of the words on the felt.
const light = (r, g, b) => [r, g, b].map((v) => v / 255)
  .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
const contrast = (one, other) => {
  const [high, low] = [light(...one), light(...other)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};

// For every box of a die on the picture: the strongest edge against what lies beside it, or above where others are beside, and its pips against its face.
async function edges([png, size, boxes, above]) {
  const picture = new Image();
  picture.src = "data:image/png;base64," + png;
  await picture.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
  const paper = canvas.getContext("2d", { willReadFrequently: true }), scale = picture.width / size;
  paper.drawImage(picture, 0, 0);
  const at = (x, y) => [...paper.getImageData(Math.round(x * scale), Math.round(y * scale), 1, 1).data].slice(0, 3);
  return boxes.map(({ x, y, width, height }) => {
    const into = (step) => (above ? at(x + width * 0.38, y + step) : at(x + step, y + height * 0.38));
    const outside = into(-7), face = into(width * 0.15);
    let edge = 1, pip = 1;
    for (let step = 0; step <= width * 0.12; step += 1 / scale) edge = Math.max(edge, contrast(outside, into(step)));
    for (let across = 0.2; across < 0.8; across += 0.02) {
      for (let down = 0.2; down < 0.8; down += 0.02) pip = Math.max(pip, contrast(face, at(x + width * across, y + height * down)));
    }
    return [edge, pip];
  });
}

// Every visible text on the felt with the least of its contrasts to the lightest and darkest spots of it, plates included.
function words() {
  const colour = (text) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((v, at) => (at === 3 ? v / 255 : v));
  };
  const over = (top, under) => top.slice(0, 3).map((v, at) => v * top[3] + under[at] * (1 - top[3]));
  const felt = document.querySelector(".felt"), style = getComputedStyle(felt), found = [];
  const grounds = ["--felt", "--felt-deep"].map((name) => colour(style.getPropertyValue(name)));
  const texts = document.createTreeWalker(felt, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement, text = texts.currentNode.textContent.trim();
    if (!text || !one.checkVisibility() || one.closest(".vh, script, noscript")) continue;
    const plates = [];
    for (let part = one; part !== felt; part = part.parentElement) plates.unshift(colour(getComputedStyle(part).backgroundColor));
    const ratios = grounds.map((ground) => {
      const under = plates.reduce((below, plate) => over(plate, below), ground);
      return contrast(over(colour(getComputedStyle(one).color), under), under);
    });
    found.push([Math.min(...ratios), one.className + " " + text.slice(0, 40)]);
  }
  return found;
}
