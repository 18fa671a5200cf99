{{- define "mnemograph.labels" -}}
app.kubernetes.io/name: mnemograph
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "mnemograph.selector" -}}
app.kubernetes.io/name: mnemograph
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* The pods of one role. Called with root, component and processes. */}}
{{- define "mnemograph.pods" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "mnemograph.selector" . | nindent 4 }}
  {{- with $root.Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # Otherwise a Service of this namespace gives the pods variables that begin with SERVICE_.
  enableServiceLinks: false
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 30
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: mnemograph
      image: "{{ $root.Values.image.repository }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}"
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        capabilities: { drop: [ALL] }
      env:
        - { name: SERVICE_ROLE, value: {{ .component }} }
        - { name: NEO4J_URI, value: {{ $root.Values.neo4j.uri | quote }} }
        - { name: NEO4J_USERNAME, value: {{ $root.Values.neo4j.username | quote }} }
        - { name: NEO4J_DATABASE, value: {{ $root.Values.neo4j.database | quote }} }
        {{- range $name, $value := $root.Values.settings }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
        {{- with .processes.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      envFrom:
        - secretRef: { name: {{ $root.Values.existingSecret }} }
      resources:
        {{- toYaml .processes.resources | nindent 8 }}
      {{- if eq .component "api" }}
      ports:
        - { name: http, containerPort: 4545 }
      startupProbe:
        httpGet: { path: /health, port: http }
        failureThreshold: 60
        periodSeconds: 2
      livenessProbe:
        httpGet: { path: /health, port: http }
        timeoutSeconds: 5
      readinessProbe:
        httpGet: { path: /ready, port: http }
        timeoutSeconds: 5
      {{- end }}
  {{- with $root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
