import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isMissing } from '../../support/programs.ts'
import { DEPLOY, kustomize, readChart, readKustomizeBase, readYaml, type Tree } from './deploy-files.ts'
import { findFaults } from './kubernetes-schemas.ts'

const UID = 10_001

describe.each([
  ['the Kustomize base', readKustomizeBase()],
  ['the Helm chart', readChart()],
])('%s', (_, { objects, settings }) => {
  const pod = objects.get('Deployment').spec.template.spec
  const [container] = pod.containers

  it('has every object once, in a version that Kubernetes serves', () => {
    const versions = [...objects.values()].map(({ kind, apiVersion }) => `${apiVersion} ${kind}`)
    expect(versions).toEqual(
      expect.arrayContaining([
        'apps/v1 Deployment',
        'v1 Service',
        'autoscaling/v2 HorizontalPodAutoscaler',
        'policy/v1 PodDisruptionBudget',
        'networking.k8s.io/v1 NetworkPolicy',
      ]),
    )
    for (const { metadata } of objects.values()) expect(metadata.name).toMatch(/^[a-z]+$/)
  })

  it('runs without root, without privileges and on a read-only file system', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: UID, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  it('keeps variables of Kubernetes, such as SAUTI_PORT of a Service, away from the settings', () => {
    expect(pod.enableServiceLinks).toBe(false)
  })

  it('asks /healthz whether the node lives and /readyz whether it takes clients', () => {
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(name => container[name].httpGet)
    expect(paths.map(({ path }) => path)).toEqual(['/healthz', '/healthz', '/readyz'])
    const ports = container.ports.map(({ name }: Tree) => name)
    for (const { port } of paths) expect(ports).toContain(port)
  })

  it('mounts every volume that it has, and its secrets from a Secret', () => {
    const mounted = container.volumeMounts.map(({ name }: Tree) => name)
    expect(mounted.toSorted()).toEqual(pod.volumes.map(({ name }: Tree) => name).toSorted())
    const secrets = container.volumeMounts.find(({ name }: Tree) => name === 'secrets')
    for (const { value } of container.env) expect(value.startsWith(`${secrets.mountPath}/`)).toBe(true)
    expect(pod.volumes.find(({ name }: Tree) => name === 'secrets').secret.secretName).toBe('sauti')
  })

  it('scales at 70 % of the capacity, fast upwards and slowly downwards', () => {
    const { metrics, behavior, scaleTargetRef, minReplicas } = objects.get('HorizontalPodAutoscaler').spec
    const [{ pods }] = metrics
    const [rule] = readYaml('monitoring/adapter-rules.yaml').rules.custom
    expect(pods).toEqual({
      metric: { name: rule.name.as },
      target: { type: 'AverageValue', averageValue: '700m' },
    })
    expect(scaleTargetRef.name).toBe(objects.get('Deployment').metadata.name)
    expect(minReplicas).toBeGreaterThan(1)
    expect(behavior.scaleDown.stabilizationWindowSeconds).toBeGreaterThanOrEqual(900)
    expect(behavior.scaleDown.policies).toEqual([{ type: 'Pods', value: 1, periodSeconds: 300 }])
  })

  it('stops one node at a time, and none before its successor is ready', () => {
    expect(objects.get('PodDisruptionBudget').spec.maxUnavailable).toBe(1)
    expect(objects.get('Deployment').spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
  })

  it('opens the ports of the service and its metrics, and of the database outwards', () => {
    const { ingress, egress, policyTypes } = objects.get('NetworkPolicy').spec
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
    const opened = ingress.flatMap(({ ports }: Tree) => ports.map(({ port }: Tree) => port))
    expect(opened).toEqual(container.ports.map(({ containerPort }: Tree) => containerPort))
    expect(opened).toContain(Number(settings.SAUTI_METRICS_PORT))
    expect(egress.flatMap(({ ports }: Tree) => ports.map(({ port }: Tree) => port))).toContain(5432)
  })
})

it('is the same in the chart as in the base, but for names, labels and the way settings arrive', () => {
  const shapes = [readKustomizeBase(), readChart()].map(({ objects, settings }) => {
    const { containers, ...pod } = objects.get('Deployment').spec.template.spec
    const [{ envFrom: _, image: __, ...container }] = containers
    return { settings, container, pod: { ...pod, topologySpreadConstraints: undefined } }
  })
  expect(shapes[1]).toEqual(shapes[0])
})

it('is a chart whose objects have every field that the API of Kubernetes asks for, and none that it does not know', () => {
  expect([...readChart().objects.values()].flatMap(findFaults)).toEqual([])
})

describe.skipIf(isMissing('kubectl'))('kubectl kustomize', () => {
  const build = () => kustomize(join(DEPLOY, 'kustomize/base'))

  it('builds the base, with the same selector everywhere', () => {
    const { text, objects } = build()
    expect(objects).toHaveLength(6)
    expect(text).toMatch(/name: sauti-settings-\w{10}\n/)
    expect(text).toContain('image: sauti:0.2.0')
  })

  it('makes objects as the API of Kubernetes takes them', () => {
    expect(build().objects.flatMap(findFaults)).toEqual([])
  })
})

describe('what the API of Kubernetes would not take is found', () => {
  const change = (edit: (deployment: Tree) => void) => {
    const deployment = structuredClone(readChart().objects.get('Deployment'))
    edit(deployment)
    return findFaults(deployment)
  }

  it.each<[string, (deployment: Tree) => void, string]>([
    [
      'a misspelt field of a container',
      ({ spec }) => {
        spec.template.spec.containers[0].readinesProbe = {}
      },
      'no schema knows /spec/template/spec/containers/0/readinesProbe',
    ],
    [
      'a field in the wrong place',
      deployment => {
        deployment.strategy = {}
      },
      'no schema knows /strategy',
    ],
    [
      'a number in words',
      ({ spec }) => {
        spec.template.spec.terminationGracePeriodSeconds = 'long'
      },
      'data/spec/template/spec/terminationGracePeriodSeconds must be integer',
    ],
    [
      'a field that is missing',
      ({ spec }) => {
        spec.selector = undefined
      },
      'data/spec must have required property selector',
    ],
  ])('%s', (_, edit, fault) => {
    expect(change(edit)).toContain(fault)
  })

  it('an object of a kind that it does not serve', () => {
    expect(findFaults({ apiVersion: 'autoscaling/v2beta2', kind: 'HorizontalPodAutoscaler' })).toEqual([
      'no schema of autoscaling/v2beta2 HorizontalPodAutoscaler',
    ])
  })
})
