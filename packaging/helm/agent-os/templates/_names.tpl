{{- define "agent-os.labels" -}}
app.kubernetes.io/name: agent-os
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "agent-os.selector" -}}
app.kubernetes.io/name: agent-os
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "agent-os.name" -}}
{{- printf "%s-agent-os" .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end }}
