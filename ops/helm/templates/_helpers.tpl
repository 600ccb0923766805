{{- define "easel.name" -}}
{{- .Release.Name | trunc 48 | trimSuffix "-" -}}
{{- end -}}

{{- define "easel.selector" -}}
app.kubernetes.io/name: easel
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "easel.labels" -}}
{{ include "easel.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "easel.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "easel.name" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "easel.secret" -}}
{{- .Values.secrets.existing | default (include "easel.name" .) -}}
{{- end -}}

{{- define "easel.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- /* A Deployment of one role: root, role, replicas (none with an autoscaler), resources, strategy, hasVolume. */ -}}
{{- define "easel.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "easel.name" .root }}-{{ .role }}
  labels:
    {{- include "easel.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if .replicas }}
  replicas: {{ .replicas }}
  {{- end }}
  strategy:
    type: {{ .strategy }}
  selector:
    matchLabels:
      {{- include "easel.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  template:
    metadata:
      labels:
        {{- include "easel.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
      annotations:
        # A change of a setting starts new pods.
        easel/settings: {{ toJson .root.Values.settings | sha256sum | quote }}
        easel/secrets: {{ toJson .root.Values.secrets | sha256sum | quote }}
    spec:
      {{- include "easel.pod" . | nindent 6 }}
{{- end -}}

{{- define "easel.pod" -}}
serviceAccountName: {{ include "easel.serviceAccount" .root }}
automountServiceAccountToken: false
# Otherwise the cluster gives the pod variables that look like settings.
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
terminationGracePeriodSeconds: {{ .root.Values.stopSecondsMax }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
containers:
  - name: easel
    image: {{ include "easel.image" .root }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    ports:
      - name: http
        containerPort: 8080
    envFrom:
      - configMapRef:
          name: {{ include "easel.name" .root }}
      - secretRef:
          name: {{ include "easel.secret" .root }}
    env:
      - name: EASEL_ROLE
        value: {{ .role }}
    startupProbe:
      httpGet:
        path: /health
        port: http
      periodSeconds: 5
      failureThreshold: {{ div .root.Values.startSecondsMax 5 }}
    livenessProbe:
      httpGet:
        path: /health
        port: http
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet:
        path: /ready
        port: http
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 2
    {{- with .resources }}
    resources:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop:
          - ALL
    volumeMounts:
      - name: data
        mountPath: /data
      - name: cache
        mountPath: /easel/node_modules/.cache
      - name: tmp
        mountPath: /tmp
volumes:
  - name: data
    {{- if .hasVolume }}
    persistentVolumeClaim:
      claimName: {{ .root.Values.data.existingClaim | default (include "easel.name" .root) }}
    {{- else }}
    emptyDir: {}
    {{- end }}
  - name: cache
    emptyDir: {}
  - name: tmp
    emptyDir: {}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
