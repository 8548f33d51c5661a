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

{{- /* config.yaml. The daemon answers to the names that the service has in the cluster, and to no other name. */}}
{{- define "agent-os.config" -}}
{{- $name := include "agent-os.name" . }}
{{- $inNamespace := printf "%s.%s" $name .Release.Namespace }}
{{- $hosts := list $name $inNamespace (printf "%s.svc" $inNamespace) (printf "%s.svc.cluster.local" $inNamespace) }}
{{- mergeOverwrite (dict "http" (dict "hosts" $hosts)) .Values.config | toYaml }}
{{- end }}
