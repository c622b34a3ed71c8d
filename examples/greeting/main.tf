# A module small enough to read at a glance: what `make run` tells you to publish first.
# It needs no provider, so that it can be applied anywhere.

variable "name" {
  description = "Whom to greet."
  type        = string
  default     = "world"
}

output "greeting" {
  description = "The greeting."
  value       = "Hello, ${var.name}!"
}
