// Holds objects to the schemas that Kubernetes publishes for its API, in both directions: what a schema asks for must be there and be of the
// right type, and what is there must be known to a schema. The schemas alone would let a misspelt field pass, and so would `kubectl kustomize`.

import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import type { Tree } from './deploy-files.ts'

const MODELS = [
  ConfigMap,
  Service,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
]

/** Everything that the API would refuse or ignore of this object, each with its place. */
export function findFaults(object: Tree): string[] {
  const { apiVersion, kind } = object
  const Model = MODELS.find(model => model.apiVersion === apiVersion && model.kind === kind)
  if (Model === undefined) return [`no schema of ${apiVersion} ${kind}`]
  const unread = new Set(listPaths(object))
  try {
    watch(new Model(object), '', unread).validate()
  } catch (error) {
    return (error as Error).message.split(', ')
  }
  return [...unread].map(path => `no schema knows ${path}`)
}

function listPaths(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const place = `${path}/${key}`
    return [place, ...listPaths(member, place)]
  })
}

/** The same value, which takes every field that is read from `unread`. A validator reads exactly the fields that its schema has. */
function watch<Value>(value: Value, path: string, unread: Set<string>): Value {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, key, receiver) {
      const place = `${path}/${String(key)}`
      unread.delete(place)
      return watch(Reflect.get(target, key, receiver), place, unread)
    },
  })
}
