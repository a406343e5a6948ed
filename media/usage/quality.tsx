import type { QualityNote } from '../../src/usage/protocol';
import { whole } from './format';
import { Check } from './head';
import { fill, report, strings } from './state';

/** What was folded or grouped in the figures above, with the names as the service sent them, and the way back. */
export function Quality() {
  const texts = strings.value;
  const shown = report.value;
  if (texts === undefined || shown === undefined) return null;
  const { notes, query } = shown;
  return (
    <section class="section" aria-labelledby="quality">
      <div class="section-head">
        <h2 id="quality" tabIndex={-1}>
          {texts.quality}
        </h2>
        <Check of="folded" label={texts.fold} title={texts.foldTitle} />
      </div>
      {query.folded ? null : <p class="quiet">{texts.foldedOff}</p>}
      {query.folded && notes.length === 0 ? <p class="quiet">{texts.qualityNone}</p> : null}
      <ul class="notes">
        {notes.map(note => (
          <Note key={note.id} note={note} />
        ))}
      </ul>
    </section>
  );
}

function Note({ note: { sentence, names } }: { readonly note: QualityNote }) {
  const texts = strings.value;
  if (texts === undefined) return null;
  return (
    <li>
      {sentence}
      {names.length === 0 ? null : (
        <details>
          <summary>{names.length === 1 ? texts.namesOne : fill(texts.names, whole(names.length))}</summary>
          <div class="table-scroll" tabIndex={0} role="region" aria-label={sentence}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{texts.sentAs}</th>
                  <th scope="col">{texts.shownAs}</th>
                  <th scope="col" class="number">
                    {texts.count}
                  </th>
                </tr>
              </thead>
              <tbody>
                {names.map(({ shown, sent, count }, place) => (
                  <tr key={place}>
                    <th scope="row">
                      <code>{sent}</code>
                    </th>
                    <td>{shown}</td>
                    <td class="number">{whole(count)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </li>
  );
}
