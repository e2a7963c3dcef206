/** However slow the machine is, no time passes on the page between the showing and the press. */
export const STOPPED_CLOCK = `{
  const real = performance.now.bind(performance);
  let stoppedAt = real();
  performance.now = () => stoppedAt ?? real();
  window.passTime = () => { stoppedAt = undefined; };
  window.stopTime = () => { stoppedAt = real(); };
}`;
