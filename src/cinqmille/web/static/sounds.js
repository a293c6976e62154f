// Sounds of the table, made on the spot, and short vibrations: both only for whoever switched them on.
(() => {
  "use strict";
  let context = null;
  const TONES = { // [frequency, start, length, volume]
    keep: [[880, 0, .06, .12]],
    bank: [[660, 0, .09, .14], [990, .09, .16, .14]],
    bust: [[196, 0, .18, .16], [147, .16, .3, .16]],
    fall: [[330, 0, .12, .14], [262, .12, .12, .14], [196, .24, .25, .14]],
    call: [[784, 0, .12, .14], [1047, .13, .22, .14]],
    win: [[523, 0, .14, .14], [659, .14, .14, .14], [784, .28, .14, .14], [1047, .42, .4, .16]],
  };
  const BUZZ = { keep: 15, roll: [20, 40, 20], bank: 40, call: [80, 60, 80], bust: [120, 60, 120], fall: [60, 40, 60], win: [60, 60, 60, 60, 200] };

  function tone([frequency, start, length, volume]) {
    const wave = context.createOscillator(), gain = context.createGain(), at = context.currentTime + start;
    wave.type = "triangle"; wave.frequency.value = frequency;
    gain.gain.setValueAtTime(volume, at); gain.gain.exponentialRampToValueAtTime(.001, at + length);
    wave.connect(gain).connect(context.destination); wave.start(at); wave.stop(at + length);
  }
  function rattle() { // a few short bursts of noise, like dice on felt
    const rate = context.sampleRate, noise = context.createBuffer(1, rate * .45, rate), data = noise.getChannelData(0);
    for (let knock = 0; knock < 6; knock++) {
      const from = Math.floor(rate * (.02 + knock * .06 + Math.random() * .03));
      for (let place = 0; place < rate * .018; place++) data[from + place] = (Math.random() * 2 - 1) * Math.exp(-place / (rate * .004)) * .3;
    }
    const source = context.createBufferSource(), filter = context.createBiquadFilter();
    source.buffer = noise; filter.type = "bandpass"; filter.frequency.value = 1800;
    source.connect(filter).connect(context.destination); source.start();
  }
  window.cinqmilleSounds = (name, heard, felt) => {
    if (felt && BUZZ[name]) navigator.vibrate?.(BUZZ[name]);
    if (!heard || !("AudioContext" in window)) return;
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume();
    if (name === "roll") rattle(); else (TONES[name] || []).forEach(tone);
  };
})();
