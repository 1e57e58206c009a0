{{/* Names leave room for the longest suffix within the 63 characters of a label. */}}
{{- define "orgd.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "orgd.fullname" -}}
{{- $name := include "orgd.name" . }}
{{- if contains $name .Release.Name }}
{{- $name = .Release.Name }}
{{- else }}
{{- $name = printf "%s-%s" .Release.Name $name }}
{{- end }}
{{- .Values.fullnameOverride | default $name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{/* orgd.selector: what tells the pods of a component apart. Takes (list . COMPONENT). */}}
{{- define "orgd.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "orgd.name" $root | quote }}
app.kubernetes.io/instance: {{ $root.Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* orgd.metadata: how every object begins. Takes (list . COMPONENT SUFFIX). */}}
{{- define "orgd.metadata" -}}
{{- $root := index . 0 -}}
name: {{ printf "%s%s" (include "orgd.fullname" $root) (index . 2) | quote }}
namespace: {{ $root.Release.Namespace | quote }}
labels:
  {{- include "orgd.labels" . | nindent 2 }}
{{- end }}

{{- define "orgd.labels" -}}
{{- $root := index . 0 -}}
{{ include "orgd.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* orgd.hook: the annotations of what belongs to the migration. Takes the order. */}}
{{- define "orgd.hook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}

{{- define "orgd.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default (include "orgd.fullname" .) }}
{{- else }}
{{- .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{- define "orgd.image" -}}
{{- with .Values.image }}
{{- if .digest }}
{{- printf "%s@%s" .repository .digest }}
{{- else }}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) }}
{{- end }}
{{- end }}
{{- end }}

{{/*
orgd.memoryLimit: the part of the memory limit that Go keeps to. It is reckoned
here, because the downward API gives only the whole limit, at which the kernel
already kills.
*/}}
{{- define "orgd.memoryLimit" -}}
{{- $limit := .Values.resources.limits.memory }}
{{- $unit := regexFind "[A-Za-z]*$" $limit }}
{{- $bytes := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- $all := mulf (trimSuffix $unit $limit | float64) (index $bytes $unit) }}
{{- printf "%dMiB" (divf (mulf $all .Values.goMemoryLimitPercent) 100 1048576 | floor | int64) }}
{{- end }}

{{/* orgd.config: the file with the settings. The schema keeps those that have values of their own out of .Values.settings. */}}
{{- define "orgd.config" -}}
console: {{ .Values.console.enabled }}
{{- with .Values.publicUrl }}
public-url: {{ . | quote }}
{{- end }}
{{- with .Values.oidc }}
{{- range $setting, $value := dict "issuer" .issuer "client-id" .clientId "scopes" .scopes "audience" .audience "role-claim" .roleClaim "role-map" .roleMap "departments-claim" .departmentsClaim }}
{{- with $value }}
oidc-{{ $setting }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.redis }}
{{- range $setting, $value := dict "cluster" .cluster "username" .username "sentinel-master" .sentinelMaster "sentinel-username" .sentinelUsername }}
{{- with $value }}
redis-{{ $setting }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.settings }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "orgd.scheme" -}}
{{ ternary "https" "http" (ne .Values.tls.existingSecret "") }}
{{- end }}

{{/*
orgd.gracePeriod: everything that a pod does before it ends. After the requests that
is 5 s for deliveries to webhooks and the audit log, at most 20 s to close the storage (two operations
of MongoDB, each of 10 s at most) and 3 s for traces; 2 s are to spare.
*/}}
{{- define "orgd.gracePeriod" -}}
{{- with .Values.shutdown }}
{{- add .preStopSeconds .drainDelaySeconds .timeoutSeconds 30 }}
{{- end }}
{{- end }}

{{/* orgd.podSpec: what all pods have in common. The "restricted" Pod Security Standard is not a matter of values. */}}
{{- define "orgd.podSpec" -}}
automountServiceAccountToken: false
# The variables of a Service named orgd would begin like settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  {{- range $name, $id := .Values.identity }}
  {{- if kindIs "invalid" $id | not }}
  {{ $name }}: {{ int64 $id }}
  {{- end }}
  {{- end }}
  # Files that only their owner may read stay so.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* orgd.container: what all containers have in common. */}}
{{- define "orgd.container" -}}
image: {{ include "orgd.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{- end }}

{{/*
orgd.secrets: the Secrets in use, the files that their keys become, and the
variables that name those files. Files do not show in "kubectl describe", and no
child process inherits them. What vouches for Redis is no secret, and may be in a
ConfigMap.
*/}}
{{- define "orgd.secrets" -}}
{{- with .Values.mongodb }}
- name: mongodb
  secret: {{ .existingSecret | quote }}
  files:
    - {path: uri, key: {{ .uriKey | quote }}, env: ORGD_MONGO_URI_FILE}
{{- end }}
- name: keys
  secret: {{ .Values.keys.existingSecret | quote }}
  files:
    - {path: signing.key, key: signing.key, env: ORGD_SIGNING_KEY_FILE}
    - {path: cursor.key, key: cursor.key, env: ORGD_CURSOR_KEY_FILE}
{{- with .Values.redis }}
- name: redis
  secret: {{ .existingSecret | quote }}
  files:
    - {path: password, key: {{ .passwordKey | quote }}, env: ORGD_REDIS_PASSWORD_FILE}
    - {path: sentinel-password, key: {{ .sentinelPasswordKey | quote }}, env: ORGD_REDIS_SENTINEL_PASSWORD_FILE}
- name: redis-tls
  secret: {{ .tls.existingSecret | quote }}
  configMap: {{ .tls.existingConfigMap | quote }}
  files:
    - {path: ca.crt, key: ca.crt, env: ORGD_REDIS_TLS_CA}
    {{- if .tls.clientCertificate }}
    - {path: tls.crt, key: tls.crt, env: ORGD_REDIS_TLS_CERT}
    - {path: tls.key, key: tls.key, env: ORGD_REDIS_TLS_KEY}
    {{- end }}
{{- end }}
- name: traces
  secret: {{ .Values.traces.existingSecret | quote }}
  files:
    - {path: headers, key: {{ .Values.traces.headersKey | quote }}, env: ORGD_TRACES_HEADERS_FILE}
- name: oidc
  secret: {{ .Values.oidc.existingSecret | quote }}
  files:
    - {path: client-secret, key: {{ .Values.oidc.clientSecretKey | quote }}, env: ORGD_OIDC_CLIENT_SECRET_FILE}
- name: tls
  secret: {{ .Values.tls.existingSecret | quote }}
  files:
    - {path: tls.crt, key: tls.crt, env: ORGD_TLS_CERT}
    - {path: tls.key, key: tls.key, env: ORGD_TLS_KEY}
{{- end }}

{{/* orgd.env: the environment of a command that is given some of these Secrets. Takes (list . NAMES), as do the two that follow. */}}
{{- define "orgd.env" -}}
{{- $root := index . 0 -}}
- name: GOMEMLIMIT
  value: {{ include "orgd.memoryLimit" $root }}
- name: ORGD_CONFIG
  value: /etc/orgd/config/orgd.yaml
- name: ORGD_STORAGE
  value: {{ $root.Values.storage }}
{{- if eq $root.Values.storage "sqlite" }}
# A directory of its own: the mode of a volume's root is up to the storage.
- name: ORGD_DATA_DIR
  value: /data/{{ $root.Values.persistence.directory }}
{{- end }}
{{- $names := index . 1 }}
{{- range $from := include "orgd.secrets" $root | fromYamlArray }}
{{- if and (or .secret .configMap) (has .name $names) }}
{{- range .files }}
{{- if .key }}
- name: {{ .env }}
  value: /etc/orgd/{{ $from.name }}/{{ .path }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "orgd.volumeMounts" -}}
{{- $root := index . 0 -}}
- name: tmp
  mountPath: /tmp
- name: config
  mountPath: /etc/orgd/config
  readOnly: true
{{- if eq $root.Values.storage "sqlite" }}
- name: data
  mountPath: /data
{{- end }}
{{- $names := index . 1 }}
{{- range include "orgd.secrets" $root | fromYamlArray }}
{{- if and (or .secret .configMap) (has .name $names) }}
- name: {{ .name }}
  mountPath: /etc/orgd/{{ .name }}
  readOnly: true
{{- end }}
{{- end }}
{{- range $root.Values.extraVolumeMounts }}
- {{ merge (dict "readOnly" true) . | toYaml | nindent 2 | trim }}
{{- end }}
{{- end }}

{{/* orgd.volumes: takes the name of the ConfigMap too. */}}
{{- define "orgd.volumes" -}}
{{- $root := index . 0 -}}
- name: tmp
  emptyDir:
    sizeLimit: {{ $root.Values.temporarySize | quote }}
- name: config
  configMap:
    name: {{ index . 2 | quote }}
{{- if eq $root.Values.storage "sqlite" }}
- name: data
  {{- if $root.Values.persistence.enabled }}
  persistentVolumeClaim:
    claimName: {{ $root.Values.persistence.existingClaim | default (include "orgd.fullname" $root) | quote }}
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- end }}
{{- $names := index . 1 }}
{{- range include "orgd.secrets" $root | fromYamlArray }}
{{- if and (or .secret .configMap) (has .name $names) }}
- name: {{ .name }}
  {{- if .configMap }}
  configMap:
    name: {{ .configMap | quote }}
  {{- else }}
  secret:
    secretName: {{ .secret | quote }}
    defaultMode: 0440 # for the group of the volumes
  {{- end }}
    items:
      {{- range .files }}
      {{- if .key }}
      - key: {{ .key | quote }}
        path: {{ .path }}
      {{- end }}
      {{- end }}
{{- end }}
{{- end }}
{{- with $root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* orgd.probe: takes (list . PROBE PATH). */}}
{{- define "orgd.probe" -}}
{{- $root := index . 0 -}}
httpGet:
  path: /api/v1/{{ index . 2 }}
  port: http
  scheme: {{ include "orgd.scheme" $root | upper }}
{{ index $root.Values.probes (index . 1) | toYaml }}
{{- end }}

{{/* orgd.spread: replicas of one revision are spread; those on their way out do not count. Takes (list . KEY WHEN). */}}
{{- define "orgd.spread" -}}
maxSkew: 1
topologyKey: {{ index . 1 }}
whenUnsatisfiable: {{ index . 2 }}
labelSelector:
  matchLabels:
    {{- include "orgd.selector" (list (index . 0) "server") | nindent 4 }}
matchLabelKeys: [pod-template-hash]
{{- end }}

{{/* orgd.portOf: the port of an address or a URL, in a list. */}}
{{- define "orgd.portOf" -}}
{{- $host := regexReplaceAll "^[a-z]+://|/.*$" . "" }}
{{- list (regexFind "[0-9]+$" (regexFind ":[0-9]+$" $host) | default (ternary 443 80 (hasPrefix "https:" .)) | int) | toJson }}
{{- end }}

{{/*
orgd.to: a rule of egress. Takes (list PEERS PORTS PROTOCOLS); without peers it leads
everywhere, and the port "1024-65535" is a range.
*/}}
{{- define "orgd.to" -}}
{{- $ports := index . 1 -}}
- to:
    {{- toYaml (index . 0) | nindent 4 }}
  ports:
    {{- range $protocol := index . 2 }}
    {{- range $ports }}
    {{- $ends := toString . | splitList "-" }}
    - port: {{ first $ends }}
      {{- with rest $ends }}
      endPort: {{ first . }}
      {{- end }}
      protocol: {{ $protocol }}
    {{- end }}
    {{- end }}
{{- end }}

{{/* orgd.egress: what every pod must reach, and what the operator adds. */}}
{{- define "orgd.egress" -}}
{{- with .Values.networkPolicy -}}
{{ include "orgd.to" (list .dns .dnsPorts (list "UDP" "TCP")) }}
{{- with .extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "orgd.toMongoDB" -}}
{{- with .Values.networkPolicy }}
{{- include "orgd.to" (list .mongodb .mongodbPorts (list "TCP")) }}
{{- end }}
{{- end }}

{{/* orgd.toServer: the rule of egress of pods that ask the service. */}}
{{- define "orgd.toServer" -}}
- to:
    - podSelector:
        matchLabels:
          {{- include "orgd.selector" (list . "server") | nindent 10 }}
  ports:
    - port: http
{{- end }}
