# A machine image (qcow2) with Agent OS, by Packer and QEMU: `packer init . && packer build -var deb=… .`
#
# Checked: by `packer validate` of Packer 1.6, without the first block and `cd_content`, which it does not know. Not run: no
# hypervisor was at hand.

packer {
  required_plugins {
    qemu = {
      source  = "github.com/hashicorp/qemu"
      version = ">= 1.1.0"
    }
  }
}

variable "deb" {
  type        = string
  description = "The path of agent-os_VERSION_amd64.deb."
}

variable "base_image" {
  type    = string
  default = "https://cloud.debian.org/images/cloud/bookworm/latest/debian-12-genericcloud-amd64.qcow2"
}

variable "base_checksum" {
  type    = string
  default = "file:https://cloud.debian.org/images/cloud/bookworm/latest/SHA512SUMS"
}

source "qemu" "debian" {
  iso_url          = var.base_image
  iso_checksum     = var.base_checksum
  disk_image       = true
  disk_size        = "10G"
  format           = "qcow2"
  accelerator      = "kvm"
  memory           = 2048
  headless         = true
  output_directory = "agent-os-image"
  vm_name          = "agent-os.qcow2"
  ssh_username     = "packer"
  ssh_password     = "packer"
  ssh_timeout      = "10m"
  shutdown_command = "sudo shutdown -P now"
  # A user for the build only; it is removed below.
  cd_label = "cidata"
  cd_content = {
    "meta-data" = "instance-id: packer\n"
    "user-data" = <<-EOT
      #cloud-config
      ssh_pwauth: true
      users:
        - name: packer
          plain_text_passwd: packer
          lock_passwd: false
          sudo: ALL=(ALL) NOPASSWD:ALL
    EOT
  }
}

build {
  sources = ["source.qemu.debian"]

  provisioner "file" {
    source      = var.deb
    destination = "/tmp/agent-os.deb"
  }

  provisioner "shell" {
    execute_command = "sudo sh -eu {{ .Path }}"
    inline = [
      "apt-get update",
      "apt-get install --yes bubblewrap ca-certificates /tmp/agent-os.deb",
      # Each machine that is started from the image makes its own keys and its own database.
      "systemctl stop agent-os",
      "rm -rf /var/lib/aos/* /var/cache/aos/* /tmp/agent-os.deb",
      "apt-get clean",
      "cloud-init clean --logs --machine-id",
      "rm -f /etc/ssh/ssh_host_*",
      "userdel --remove --force packer || true",
    ]
  }
}
