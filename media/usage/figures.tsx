import { isPart, knownOf, type Figure } from '../../src/usage/protocol';
import { exact, figureText, points, relative, short, whole } from './format';
import { fill, strings } from './state';

/** The numbers at the head of a tab, each with its change since the period before. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  const texts = strings.value;
  if (texts === undefined || figures.length === 0) return null;
  return (
    <>
      <dl class="figures" aria-label={texts.figures}>
        {figures.map(figure => (
          <FigureView key={figure.id} figure={figure} />
        ))}
      </dl>
      <details class="how">
        <summary>{texts.howMade}</summary>
        <dl>
          {figures.map(({ id, label, explanation }) => (
            <div key={id}>
              <dt>{label}</dt>
              <dd class="quiet">{explanation}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

function FigureView({ figure }: { readonly figure: Figure }) {
  const texts = strings.value;
  if (texts === undefined) return null;
  const { label, value, unit, explanation } = figure;
  const full = figureText(value, number => exact(number, unit), true) || texts.unknown;
  const known = knownOf(value);
  return (
    <div class="figure" title={`${full}\n${explanation}`}>
      <dt>{label}</dt>
      <dd class="value">{known === undefined ? <span class="quiet">–</span> : short(known, unit)}</dd>
      {isPart(value) ? (
        <dd class="quiet">{fill(texts.daysOf, whole(value.known), whole(value.of))}</dd>
      ) : null}
      <Change figure={figure} />
    </div>
  );
}

/** Neither good nor bad: what growth means is for the person to say. */
function Change({ figure: { value: amount, previous, unit } }: { readonly figure: Figure }) {
  const texts = strings.value;
  const value = knownOf(amount);
  if (texts === undefined || value === undefined || previous === undefined) return null;
  const icon = value > previous ? 'arrow-small-up' : value < previous ? 'arrow-small-down' : 'dash';
  const words =
    value === previous
      ? texts.noChange
      : unit === 'percent'
        ? fill(texts.points, points(value - previous))
        : previous === 0
          ? ''
          : relative(value / previous - 1);
  return (
    <dd class="change" title={exact(previous, unit)}>
      <span class={`codicon codicon-${icon}`} aria-hidden="true" />
      {words} <span class="quiet">{fill(texts.before, short(previous, unit))}</span>
    </dd>
  );
}
