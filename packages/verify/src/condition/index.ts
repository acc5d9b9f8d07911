export { type Evaluated, evaluateCondition } from './evaluate.js'
export {
  type CallName,
  type Condition,
  conditionDepthMax,
  conditionLengthMax,
  type Parsed,
  parseCondition,
  type RelationSign,
  type Sides,
} from './syntax.js'
export { type ConditionMap, type ConditionValue, conditionValueOf } from './value.js'
