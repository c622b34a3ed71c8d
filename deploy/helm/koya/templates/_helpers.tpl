{{- define "koya.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "koya.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "koya.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "koya.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "koya.selector" -}}
app.kubernetes.io/name: {{ include "koya.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "koya.labels" -}}
{{ include "koya.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "koya.serviceAccount" -}}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.create -}}
{{- include "koya.fullname" . -}}
{{- else -}}
default
{{- end -}}
{{- end }}

{{- define "koya.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end }}

{{- define "koya.host" -}}
{{- (urlParse .Values.url).host | regexFind "^(\\[[^]]*\\]|[^:]*)" -}}
{{- end }}

{{- /* The name of the port that clients use: "https", or "http" where TLS ends in front. */ -}}
{{- define "koya.portName" -}}
{{- eq .Values.tls.mode "koya" | ternary "https" "http" -}}
{{- end }}

{{- define "koya.servicePort" -}}
{{- .Values.service.port | default (eq .Values.tls.mode "koya" | ternary 443 80) -}}
{{- end }}

{{- /* A value of a setting as the environment writes it. */ -}}
{{- define "koya.settingText" -}}
{{- if kindIs "slice" . -}}
{{- join "," . -}}
{{- else if kindIs "float64" . -}}
{{- int64 . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end }}

{{- /* What the schema cannot say in plain words: values that need one another. */ -}}
{{- define "koya.check" -}}
{{- $values := .Values -}}
{{- if eq $values.tls.mode "koya" -}}
{{- if not $values.tls.existingSecret -}}
{{- fail "tls.existingSecret: name the Secret with the certificate, or set tls.mode to front" -}}
{{- end -}}
{{- else if not $values.trustedProxies -}}
{{- fail "trustedProxies: with tls.mode front, list the addresses of the Ingress or Gateway" -}}
{{- end -}}
{{- if eq $values.mode "cluster" -}}
{{- if not $values.secret.existingSecret -}}
{{- fail "secret.existingSecret: in cluster mode, name the Secret with server.secret, which all servers share" -}}
{{- end -}}
{{- if not $values.database.existingSecret -}}
{{- fail "database.existingSecret: in cluster mode, name the Secret with the URL of the PostgreSQL database" -}}
{{- end -}}
{{- if not $values.bucket.url -}}
{{- fail "bucket.url: in cluster mode, write s3://BUCKET or s3://BUCKET/PREFIX" -}}
{{- end -}}
{{- else -}}
{{- range $name := list "autoscaling" "podDisruptionBudget" -}}
{{- if (index $values $name).enabled -}}
{{- fail (printf "%s.enabled: there is one server in single mode; set mode to cluster" $name) -}}
{{- end -}}
{{- end -}}
{{- if or $values.database.existingSecret $values.bucket.url -}}
{{- fail "database, bucket: single mode uses SQLite and a folder; set mode to cluster" -}}
{{- end -}}
{{- end -}}
{{- if and $values.secret.previousKey (not $values.secret.existingSecret) -}}
{{- fail "secret.previousKey: it is a key of secret.existingSecret, which is empty" -}}
{{- end -}}
{{- if and $values.gateway.enabled (not $values.gateway.parentRefs) -}}
{{- fail "gateway.parentRefs: name the Gateway" -}}
{{- end -}}
{{- with $values.shutdown -}}
{{- if le (int .terminationGracePeriodSeconds) (add (int .drainDelaySeconds) (int .drainSeconds) | int) -}}
{{- fail "shutdown.terminationGracePeriodSeconds: it must exceed drainDelaySeconds and drainSeconds together" -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "koya.environment" -}}
{{- $values := .Values -}}
{{- $cluster := eq .Values.mode "cluster" -}}
{{- $any := .Values.listenAddress -}}
- name: KOYA_SERVER_DATA
  value: /data
- name: KOYA_SERVER_LISTEN
  value: {{ printf "%s:8443" $any | quote }}
- name: KOYA_SERVER_URL
  value: {{ .Values.url | quote }}
- name: KOYA_METRICS_LISTEN
  value: {{ printf "%s:9090" $any | quote }}
{{- if eq .Values.tls.mode "koya" }}
- name: KOYA_TLS_CERTIFICATE
  value: /etc/koya/tls/tls.crt
- name: KOYA_TLS_KEY
  value: /etc/koya/tls/tls.key
{{- else }}
- name: KOYA_SERVER_INSECURE_HTTP
  value: "true"
- name: KOYA_SERVER_TRUSTED_PROXIES
  value: {{ join "," .Values.trustedProxies | quote }}
{{- end }}
- name: KOYA_TIMEOUTS_DRAIN_DELAY
  value: {{ printf "%ds" (int .Values.shutdown.drainDelaySeconds) | quote }}
- name: KOYA_TIMEOUTS_DRAIN
  value: {{ printf "%ds" (int .Values.shutdown.drainSeconds) | quote }}
{{- with .Values.secret }}
{{- if .existingSecret }}
- name: KOYA_SERVER_SECRET_FILE
  value: /etc/koya/secret/server.secret
{{- end }}
{{- if .previousKey }}
- name: KOYA_SERVER_SECRET_PREVIOUS
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret }}
      key: {{ .previousKey }}
{{- end }}
{{- end }}
{{- if $cluster }}
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
- name: KOYA_CLUSTER_LISTEN
  value: {{ printf "%s:8444" $any | quote }}
- name: KOYA_CLUSTER_ADDRESS
  value: {{ hasPrefix "[" $any | ternary "[$(POD_IP)]:8444" "$(POD_IP):8444" | quote }}
- name: KOYA_CATALOG_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.database.existingSecret }}
      key: {{ .Values.database.key }}
- name: KOYA_CACHE_ARCHIVES_BYTES
  value: {{ printf "%dMiB" (div (mul (int .Values.cache.sizeGiB) 4096) 5) | quote }}
{{- with .Values.bucket }}
- name: KOYA_BLOBS_URL
  value: {{ .url | quote }}
{{- if .endpoint }}
- name: KOYA_BLOBS_S3_ENDPOINT
  value: {{ .endpoint | quote }}
{{- end }}
{{- if .region }}
- name: KOYA_BLOBS_S3_REGION
  value: {{ .region | quote }}
{{- end }}
{{- if .existingSecret }}
- name: AWS_ACCESS_KEY_ID
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret }}
      key: {{ .accessKeyIdKey }}
- name: AWS_SECRET_ACCESS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret }}
      key: {{ .secretAccessKeyKey }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: KOYA_{{ $name | replace "." "_" | upper }}
  value: {{ include "koya.settingText" $value | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "koya.pod" -}}
{{- $cluster := eq .Values.mode "cluster" -}}
metadata:
  labels:
    {{- include "koya.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "koya.serviceAccount" . }}
  automountServiceAccountToken: false
  # The variables that Kubernetes makes of Services can begin with KOYA_, and are no settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ int .Values.shutdown.terminationGracePeriodSeconds }}
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- if and $cluster .Values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: {{ $.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "koya.selector" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- range $name := list "nodeSelector" "tolerations" "affinity" }}
  {{- with index $.Values $name }}
  {{ $name }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  containers:
    - name: koya
      image: {{ include "koya.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      securityContext:
        {{- toYaml .Values.securityContext | nindent 8 }}
      env:
        {{- include "koya.environment" . | nindent 8 }}
      ports:
        - name: {{ include "koya.portName" . }}
          containerPort: 8443
        - name: metrics
          containerPort: 9090
        {{- if $cluster }}
        - name: cluster
          containerPort: 8444
        {{- end }}
      startupProbe:
        httpGet:
          path: /healthz
          port: metrics
        periodSeconds: 1
        failureThreshold: 60
      livenessProbe:
        httpGet:
          path: /healthz
          port: metrics
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # While the database is away, servers still serve what they hold: they stay in the Service.
      readinessProbe:
        httpGet:
          path: /readyz?degraded=1
          port: metrics
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        {{- if eq .Values.tls.mode "koya" }}
        - name: tls
          mountPath: /etc/koya/tls
          readOnly: true
        {{- end }}
        {{- if .Values.secret.existingSecret }}
        - name: secret
          mountPath: /etc/koya/secret
          readOnly: true
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  {{- with include "koya.volumes" . | trim }}
  volumes:
    {{- . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "koya.volumes" -}}
{{- if eq .Values.mode "cluster" }}
- name: data
  emptyDir:
    sizeLimit: {{ int .Values.cache.sizeGiB }}Gi
{{- else if .Values.persistence.existingClaim }}
- name: data
  persistentVolumeClaim:
    claimName: {{ .Values.persistence.existingClaim }}
{{- end }}
{{- if eq .Values.tls.mode "koya" }}
- name: tls
  secret:
    secretName: {{ .Values.tls.existingSecret }}
    defaultMode: 0440
{{- end }}
{{- with .Values.secret }}
{{- if .existingSecret }}
- name: secret
  secret:
    secretName: {{ .existingSecret }}
    defaultMode: 0440
    items:
      - key: {{ .key }}
        path: server.secret
{{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}
