/**
 * Schema 11. Texts may be deleted that an `Erased` names, with their salts, as long as it is the last event of `governance`: whoever erases records it first, in
 * the same transaction. They are of runs that have ended, of `refusals`, or of `governance`, but never a contract.
 */
export const erasing = `
DROP TRIGGER event_data_no_delete;
CREATE TRIGGER event_data_no_delete BEFORE DELETE ON event_data
WHEN NOT EXISTS (SELECT 1 FROM purged WHERE stream = (SELECT stream FROM events WHERE id = OLD.event))
  AND NOT EXISTS (
    SELECT 1 FROM events AS e JOIN streams AS s ON s.no = e.stream
    JOIN events AS g ON g.id = (
      SELECT id FROM events WHERE stream = (SELECT no FROM streams WHERE name = 'governance') ORDER BY seq DESC LIMIT 1)
    JOIN json_each(CASE g.kind WHEN 'Erased' THEN g.body ELSE '{}' END, '$.texts') AS t
    WHERE e.id = OLD.event AND s.name = t.value ->> '$.stream'
      AND e.seq BETWEEN t.value ->> '$.from' AND t.value ->> '$.to'
      AND CASE s.name WHEN 'refusals' THEN 1
        WHEN 'governance' THEN e.kind NOT IN ('ContractProposed', 'ContractActivated')
        ELSE s.name GLOB 'run/*' AND (SELECT kind FROM events WHERE stream = e.stream ORDER BY seq DESC LIMIT 1)
          IN ('FlowCompleted', 'FlowFailed', 'FlowCancelled', 'FlowContinued') END)
BEGIN SELECT RAISE(FAIL, 'events are append-only: DELETE of data refused'); END;
`
