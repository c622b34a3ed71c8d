variable "text" {
  type = string
}

output "text" {
  value = "${upper(var.text)}!"
}
