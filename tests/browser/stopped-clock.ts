/** Init script that stops the page's clock, so that a slow machine does not change how long a button was visible before the click. */
export const STOPPED_CLOCK = `{
  const real = performance.now.bind(performance);
  let stoppedAt = real();
  performance.now = () => stoppedAt ?? real();
  window.passTime = () => { stoppedAt = undefined; };
  window.stopTime = () => { stoppedAt = real(); };
}`;
